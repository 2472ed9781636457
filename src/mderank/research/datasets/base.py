"""What a labelled set is, and which text of a document is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PaperStatistics:
    """A line of the paper's Table 2."""

    phrases: float  # N_KP: gold phrases a document
    phrase_words: float  # L_KP: words of a gold phrase
    document_words: float  # L_Doc: words of a document


@dataclass(frozen=True)
class PaperInput:
    """What the paper's code does to a document before it is tagged.

    ``title``: the title stands before the text. ``lower_case``: everything is lower-cased. ``spaced_punctuation``:
    ``". "`` becomes ``" . "`` and ``", "`` becomes ``" , "``. ``no_percent``: percent signs are taken out. Brackets
    become spaces in every set.
    """

    title: bool = False
    lower_case: bool = False
    spaced_punctuation: bool = False
    no_percent: bool = False


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a set. Most texts are not ours to ship: here are the checksum, and the place to get it.

    ``sha256`` is of the JSON lines, uncompressed, so that ``.jsonl`` and ``.jsonl.gz`` agree. A set that is part of the
    package (``packaged``) has none of these: its file is beside this one.
    """

    name: str
    description: str
    citation: str
    terms: str
    split: str
    documents: int | None = None
    keyphrases: int | None = None
    sha256: str | None = None
    place: str = ""
    import_command: str = ""
    paper_input: PaperInput = field(default_factory=PaperInput)
    paper: PaperStatistics | None = None
    packaged: bool = False


@dataclass(frozen=True)
class LabelledDocument:
    """A document and the keyphrases that people gave it, as they wrote them.

    In a judged dataset ``keyphrases`` are the phrases that a reader would accept, ``junk`` those that none would, and
    ``kind`` says what the document is, such as an e-mail. ``junk`` is None everywhere else.
    """

    id: str
    title: str
    text: str
    keyphrases: tuple[str, ...]
    junk: tuple[str, ...] | None = None
    kind: str = ""


@dataclass(frozen=True)
class Dataset:
    """A set that was read. ``info`` is None for sets that are not of the registry.

    ``notes`` say what is odd about documents that are in the set all the same: no text, no gold phrases.
    """

    name: str
    info: DatasetInfo | None
    documents: tuple[LabelledDocument, ...]
    sha256: str
    notes: tuple[str, ...] = field(default=())

    @property
    def judged(self) -> bool:
        """Whether its documents have acceptable phrases and junk in place of gold keyphrases."""
        return bool(self.documents) and self.documents[0].junk is not None


_BRACKETS = re.compile(r"[<>\[\]{}]")

# A set that the paper does not know: nothing is left out.
_UNKNOWN = PaperInput(title=True)


def paper_text(info: DatasetInfo | None, document: LabelledDocument) -> str:
    """The text that the paper's code reads, before its cuts at 512 words and 512 word pieces. Offsets refer to it.

    That this is how the paper read its sets shows in Table 2: counted on this text, L_Doc is 121.84 for Inspec and
    170.38 for SemEval2017, the paper's values; on the text as it stands it is 121.82 and 168.92. Two things are not
    done: the paper's code takes every lone letter "p" for a paragraph tag and drops it, and it joins some lines.

    >>> from mderank.research.datasets import DATASETS
    >>> document = LabelledDocument("1", "A Title", "Deep nets [1], e.g. RNNs.", ())
    >>> paper_text(DATASETS["inspec"], document)
    'A Title Deep nets  1 , e.g. RNNs.'
    >>> paper_text(DATASETS["nus"], document)
    'Deep nets  1  , e.g . RNNs.'
    >>> paper_text(DATASETS["duc2001"], document)
    'deep nets  1 , e.g. rnns.'
    """
    rules = info.paper_input if info else _UNKNOWN
    text = f"{document.title} {document.text}" if rules.title and document.title else document.text
    if rules.no_percent:
        text = text.replace("%", "")
    if rules.spaced_punctuation:
        text = text.replace(". ", " . ").replace(", ", " , ")
    text = _BRACKETS.sub(" ", text)
    return text.lower() if rules.lower_case else text


def whole_text(document: LabelledDocument) -> str:
    r"""The title and the text, as a reader has them; the title is not said twice.

    >>> whole_text(LabelledDocument("1", "A Title", "The text.", ()))
    'A Title\n\nThe text.'
    >>> whole_text(LabelledDocument("1", "A title", "A Title  The text.", ()))
    'A Title  The text.'
    """
    title = " ".join(document.title.split())
    beginning = " ".join(document.text[: 2 * len(document.title) + 80].split())
    if not title or beginning.lower().startswith(title.lower()):
        return document.text
    return f"{document.title}\n\n{document.text}"
