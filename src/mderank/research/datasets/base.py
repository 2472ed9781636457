"""Labelled datasets, and the text of a document that is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PaperStatistics:
    """A row of the paper's Table 2.

    Attributes:
        phrases: Gold keyphrases per document (N_KP).
        phrase_words: Words per gold keyphrase (L_KP).
        document_words: Words per document (L_Doc).

    """

    phrases: float
    phrase_words: float
    document_words: float


@dataclass(frozen=True)
class PaperInput:
    """The document as the paper's program gives it to its tagger. Brackets become spaces in every dataset.

    Attributes:
        title: Whether the title is put before the text.
        lower_case: Whether the text is lower-cased.
        spaced_punctuation: Whether ``". "`` becomes ``" . "`` and ``", "`` becomes ``" , "``.
        no_percent: Whether percent signs are removed.

    """

    title: bool = False
    lower_case: bool = False
    spaced_punctuation: bool = False
    no_percent: bool = False


@dataclass(frozen=True)
class DatasetInfo:
    """The description of a dataset that is known by name; ``datasets.toml`` has all of them.

    Most datasets may not be distributed with mderank. Their description says where to get them, with a checksum.

    Attributes:
        name: The name by which the dataset is loaded.
        title: Its name in tables.
        description: What its documents and keyphrases are.
        citation: The publication to cite.
        terms: Conditions of use.
        split: Which part of the published dataset it is.
        documents: Number of documents.
        keyphrases: Number of gold keyphrases.
        sha256: Checksum of the JSON lines, uncompressed, so that ``.jsonl`` and ``.jsonl.gz`` agree.
        source: Address of the public distribution.
        import_command: The command that converts the public distribution.
        paper_input: How the paper's program reads a document.
        paper: Its row in the paper's Table 2; None if the paper does not use it.
        packaged: Whether its file is part of mderank.
        language: Code of the language of its documents.

    """

    name: str
    title: str
    description: str
    citation: str
    terms: str
    split: str
    documents: int | None = None
    keyphrases: int | None = None
    sha256: str | None = None
    source: str = ""
    import_command: str = ""
    paper_input: PaperInput = field(default_factory=PaperInput)
    paper: PaperStatistics | None = None
    packaged: bool = False
    language: str = "en"


@dataclass(frozen=True)
class LabelledDocument:
    """A document and the keyphrases that people gave it, as they wrote them.

    Attributes:
        id: Its id, unique in the dataset.
        title: Its title; may be empty.
        text: Its text, without the title.
        keyphrases: The gold keyphrases. In a judged dataset, the phrases that a reader would accept.
        junk: In a judged dataset, the phrases that no reader would accept; otherwise None.
        kind: In a judged dataset, the kind of document, such as an e-mail.
        language: Code of its language.

    """

    id: str
    title: str
    text: str
    keyphrases: tuple[str, ...]
    junk: tuple[str, ...] | None = None
    kind: str = ""
    language: str = "en"


@dataclass(frozen=True)
class Dataset:
    """A dataset that was read.

    Attributes:
        name: Its name, or that of its file.
        info: Its description; None for datasets that are not known by name.
        documents: Its documents, in the order of the file.
        sha256: Checksum of the JSON lines, uncompressed.
        notes: Peculiarities of documents that are in the dataset all the same: no text, no gold keyphrases.

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

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its documents, in the order of their first documents."""
        return tuple(dict.fromkeys(document.language for document in self.documents))

    @property
    def english(self) -> bool:
        """Whether all documents are English."""
        return all(document.language == "en" for document in self.documents)


_BRACKETS = re.compile(r"[<>\[\]{}]")

# A dataset that the paper does not use: nothing is left out.
_UNKNOWN = PaperInput(title=True)


def paper_text(info: DatasetInfo | None, document: LabelledDocument) -> str:
    """Return the text that the paper's program reads, before it is cut to 512 words and 512 tokens.

    Offsets refer to this text. The paper's Table 2 confirms that its program read documents like this: L_Doc, counted
    on this text, is 121.84 for Inspec and 170.38 for SemEval2017, as printed. On the original text it is 121.82 and
    168.92. Two steps are left out: the paper's program takes each single letter "p" for a paragraph tag and drops it,
    and it joins some lines.

    Args:
        info: The description of the document's dataset; None if it has none. Then the title is read too.
        document: The document.

    Returns:
        The text.

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


def full_text(document: LabelledDocument) -> str:
    r"""Return the title and the text, as a reader sees them. A title that the text repeats is not put before it.

    Args:
        document: The document.

    Returns:
        The text. Offsets refer to it.

    >>> full_text(LabelledDocument("1", "A Title", "The text.", ()))
    'A Title\n\nThe text.'
    >>> full_text(LabelledDocument("1", "A title", "A Title  The text.", ()))
    'A Title  The text.'
    """
    title = " ".join(document.title.split())
    beginning = " ".join(document.text[: 2 * len(document.title) + 80].split())
    if not title or beginning.lower().startswith(title.lower()):
        return document.text
    return f"{document.title}\n\n{document.text}"
