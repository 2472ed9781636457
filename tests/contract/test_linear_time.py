"""Work grows with the length of a text and not with its square, whatever is in it. Nothing is timed: work is counted.

Lines of Python that are run, tokens that an encoder is given and lengths of runs that spaCy is given are counted for a
text and for one that is four times as long. What happens inside a regular expression or numpy cannot be counted here:
benchmarks/linear_time.py measures it as a ratio of processor times.
"""

import sys
from functools import partial

import pytest
import spacy
from spacy.tokenizer import Tokenizer
from tests.helpers import docx

from mderank.candidates import Concept, NGrams, NounPhrases, PhraseList, Terms, Vocabulary
from mderank.methods.registry import METHODS
from mderank.methods.yake.yake import KeywordNGrams
from mderank.reading import ReadOptions
from mderank.reading.docx import docx_text
from mderank.reading.eml import mail_text
from mderank.reading.html import html_text
from mderank.reading.rst import blank_rst
from mderank.reading.tex import tex_text
from mderank.tagging import SpacyTagger
from mderank.tagging.layout import read_layout
from mderank.testing import FakeEncoder, FakeTagger

FACTOR = 4
MOST = 5.0  # times the work for FACTOR times the text; the square is 16

UNITS = {
    "brackets": "(", "apostrophes": "'", "emoji": "😀", "dashes": "-", "slashes": "/", "marks a line": "#\n",
    "digits": "7 ", "combining": "a\u0301", "hyphens": "a-", "dots": "a.", "one phrase": "storm surge ",
    "sentences": "Storm surges. ", "same line": "surge\n", "links": "[a](", "mail": "From: a\n", "labels": "Note: a\n",
    "fences": "```\nx\n", "table": "a | b\n", "references": "References\nSmith, J. 1999. x\n", "names": "Ann Lee, ",
    "NOTE": "NOTE x\n\n", "minutes": "Present:\nAnn Lee\n",
}  # fmt: skip


def repeat(unit):
    return lambda length: unit * (length // len(unit))


def different(separator):
    """Different words: no two have the same stem, spelling or first letters."""

    def make(length):
        size = 6 + len(separator)
        letters = "bcdfghjklmnpqrtvwxz"
        words = []
        for number in range(length // size):
            digits = [number // 19**place % 19 for place in range(4)]
            words.append("".join(letters[digit] for digit in digits) + "ax")
        return separator.join(words)

    return make


TEXTS = {
    **{name: repeat(unit) for name, unit in UNITS.items()},
    "different words": different(" "),
    "a word a line": different("\n"),
    "short phrases": different(". "),
    "no white space": different(""),
    "one head": different(" surge. "),
    "divided words": different("-\n"),
    "many open, many closed": lambda length: "(" * (length // 2) + ")" * (length // 2),
}

texts = pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS.keys())
# Texts on which methods differ: those of words. Marks alone have no candidates.
WORDS = ("one phrase", "sentences", "same line", "names", "different words", "short phrases", "one head")
texts_of_words = pytest.mark.parametrize("make", [TEXTS[name] for name in WORDS], ids=WORDS)


def lines_run(work, *arguments):
    """How many lines of Python a call runs."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(*arguments)
    finally:
        sys.settrace(before)
    return count


def assert_linear(work, make, length=400, prepare=str, slack=2_000):
    """``slack``: lines that are run once a text, whatever its length."""
    shorter, longer = prepare(make(length)), prepare(make(FACTOR * length))
    work(longer)  # what is computed once a word and then known
    short, long = lines_run(work, shorter), lines_run(work, longer)
    assert long <= MOST * short + slack, f"{long} lines for {FACTOR} times the text of {short}"


@pytest.mark.slow
@texts
def test_layout(make):
    assert_linear(read_layout, make)


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", ["mderank", "spacy"])
@texts
def test_words(make, tokenizer):
    tagger = SpacyTagger(spacy.blank("en"), tokenizer=tokenizer, tags=False)
    assert_linear(lambda text: list(tagger.tag([text])), make)


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        Terms(),
        NounPhrases(max_phrase_words=None),
        NGrams(),
        KeywordNGrams(),
        PhraseList(["storm surge", "a", "("]),
        Vocabulary([Concept("a", "storm surge", ["a"]), Concept("b", "(", ["surge", "a storm"])]),
    ],
    ids=lambda source: type(source).__name__,
)
@texts_of_words
def test_candidates(monkeypatch, make, source):
    monkeypatch.setattr("mderank.candidates.noun_phrases._LONGEST_RUN", 16)  # beyond it phrases are cut
    assert_linear(source.find, make, prepare=tagged)


def tagged(text):
    return next(FakeTagger().tag([text]))


# AttentionRank compares every candidate with every sentence, as its paper has it.
WITHOUT_ENCODER = [method.name for method in METHODS.values() if method.kind != "embedding"]
WITH_ENCODER = ["fusion", "mderank", "embedrank", "keybert", "sifrank", "sifrank-plus"]


class CountingEncoder(FakeEncoder):
    """Counts the tokens that it is given, padding included."""

    def __init__(self):
        super().__init__(max_length=128)
        self.tokens = 0

    def hidden_states(self, inputs, layer):
        self.tokens += inputs.input_ids.size
        return super().hidden_states(inputs, layer)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITHOUT_ENCODER)
@texts_of_words
def test_methods_without_an_encoder(monkeypatch, make, name):
    monkeypatch.setattr("mderank.methods.graph.topic_graph._MOST_SHARING", 16)  # beyond it stems tell nothing
    extractor = METHODS[name].make(tagger=FakeTagger())
    assert_linear(extractor.extract, make, prepare=tagged)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_ENCODER)
@texts_of_words
def test_methods_with_an_encoder(make, name):
    encoder = CountingEncoder()
    extractor = METHODS[name].make(model=encoder, tagger=FakeTagger())
    assert_linear(extractor.extract, make, prepare=tagged)
    given = []
    for length in (3_000, 3_000 * FACTOR):
        encoder.tokens = 0
        extractor.extract(tagged(make(length)))
        given.append(encoder.tokens)
    assert given[1] <= MOST * given[0] + 2_000


def test_a_phrase_that_fills_the_text_is_not_hidden_in_every_part_of_itself():
    """Seven words, and every part of them, stand at every place of this text. Each would be hidden everywhere."""
    encoder = CountingEncoder()
    extractor = METHODS["fusion"].make(model=encoder, tagger=FakeTagger())
    words = 3_000  # one paragraph
    found = extractor.extract("storm surge " * (words // 2), top_k=3)
    assert found[0].text == "storm surge"
    assert len(found[0].spans) == words // 2
    assert encoder.tokens <= 8 * words


@pytest.mark.parametrize("name", [*WITH_ENCODER, "attentionrank"])
def test_a_text_without_candidates_is_not_encoded(name):
    encoder = CountingEncoder()
    extractor = METHODS[name].make(model=encoder, tagger=FakeTagger())
    encoder.tokens = 0  # what was tried when it was made
    reef = "Coral reefs feed fish."
    alone, (brackets, beside) = extractor.extract(reef), extractor.extract_many(["( " * 3_000, reef])
    assert (list(brackets), list(beside)) == ([], list(alone))
    assert encoder.tokens < 1_000


class Recorder:
    """A stand-in for a spaCy pipeline that notes the texts it is given."""

    def __init__(self):
        self.given = []
        nlp = spacy.blank("en")
        pipe = nlp.pipe

        def record(inputs, **options):
            inputs = list(inputs)
            if options.get("as_tuples"):  # spaCy calls it again for the texts alone
                self.given += [text for text, _ in inputs]
            return pipe(inputs, **options)

        nlp.pipe = record
        self.nlp = nlp


@pytest.mark.parametrize(
    "unit", ["(", "'", "😀", '"', "-", "/", ".", "a-", "a/", "a.", "7,", "a\u0301", "<a href='", "]("]
)
def test_spacy_is_given_no_long_run(unit):
    recorder = Recorder()
    text = unit * (3_000 // len(unit))
    document = next(SpacyTagger(recorder.nlp, tokenizer="spacy", tags=False).tag([text]))
    assert "".join(recorder.given) == text
    assert max(len(run) for part in recorder.given for run in part.split()) <= 220
    assert all(text[token.start : token.end] == token.text for token in document.tokens)


@pytest.mark.parametrize("text", ["a " * 2_000, "word " * 600, "Graph-based ranking of words. " * 100, "x" * 202])
def test_spacy_is_given_ordinary_text_as_it_is(text):
    recorder = Recorder()
    next(SpacyTagger(recorder.nlp, tokenizer="spacy", tags=False).tag([text]))
    assert "".join(recorder.given) == text
    assert len(recorder.given) == 1


def test_spacy_is_given_a_bounded_number_of_tokens_at_once(monkeypatch):
    """Its memory grows with them: 15 KB each."""
    monkeypatch.setattr("mderank.tagging.spacy._BATCH_TOKENS", 100)
    sizes = []
    nlp = spacy.blank("en")
    pipe = nlp.pipe

    def record(inputs, **options):
        inputs = list(inputs)
        if options.get("as_tuples"):
            sizes.append(sum(len(text.split()) for text, _ in inputs))
        return pipe(inputs, **options)

    nlp.pipe = record
    text = "\n\n".join("( " * count for count in (30, 60, 5, 90, 40, 1, 99))
    document = next(SpacyTagger(nlp, tokenizer="spacy", tags=False).tag([text]))
    assert len(document.tokens) == sum(sizes) == 325
    assert max(sizes) <= 100


def test_a_long_run_is_no_word_in_either_tokenizer():
    text = "Coral reefs " + "a-" * 500 + " feed fish."
    for tokenizer in ("mderank", "spacy"):
        document = next(SpacyTagger(spacy.blank("en"), tokenizer=tokenizer, tags=False).tag([text]))
        keys = {key for candidate in NGrams(1, 1).find(document) for key in candidate.key.split()}
        assert keys == {"coral", "reefs", "feed", "fish"}


def test_a_tokenizer_that_is_not_spacys_is_given_the_whole_run():
    recorder = Recorder()
    recorder.nlp.tokenizer = partial(Tokenizer.__call__, recorder.nlp.tokenizer)
    next(SpacyTagger(recorder.nlp, tokenizer="spacy", tags=False).tag(["。" * 1_000]))
    assert recorder.given == ["。" * 1_000]


@pytest.mark.parametrize("unit", ["<svg>", "<p>", "<!--", "<a ", '<a href="', "<a b='", "<![CDATA[", "&", "<script>"])
def test_html(unit):
    for make in (repeat(unit), lambda length: repeat(unit)(length) + "</p>" * (length // 4)):
        assert_linear(html_text, make)


@pytest.mark.parametrize(
    "unit", ["\\cite{", "$x ", "{", "\\begin{verbatim}", "\\footnote{", "\\[", "\\'", "a\n\n", "\\a["]
)
def test_tex(unit):
    for make in (repeat(unit), lambda length: repeat(unit)(length) + "}" * (length // 4)):
        assert_linear(tex_text, make)


@pytest.mark.parametrize("unit", ["a::\n\n ", ".. a::\n", "`a <", "*a", "|a|", ":a: ", ">>> a\n", "===\n", "[1]_"])
def test_rst(unit):
    assert_linear(blank_rst, repeat(unit))


@pytest.mark.parametrize(
    "unit", ["--b\n", "--b\n\nx\n", "--b", "a\n", "--b\nContent-Type: text/html\n\n<p>\n", "=?a?q?"]
)
def test_mail(unit):
    header = "Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n"
    assert_linear(
        lambda data: mail_text(data, ReadOptions()),
        repeat(unit),
        prepare=lambda text: f"{header}{text}".encode(),
    )


@pytest.mark.parametrize(
    "unit", ["<w:p/>", "<w:p><w:r><w:t>a</w:t></w:r></w:p>", "<w:del/>", "<w:r><w:rPr/></w:r>", "a"]
)
def test_docx(unit):
    text = "<w:p><w:r><w:t>reef</w:t></w:r></w:p>"
    assert_linear(
        lambda data: docx_text(data, ReadOptions()), repeat(unit), 2_000, prepare=lambda body: docx(text + body)
    )


@pytest.mark.parametrize("name", WORDS)
def test_the_texts_of_words_have_candidates(name):
    assert NGrams().find(tagged(TEXTS[name](400)))
