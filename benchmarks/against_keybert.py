"""End to end against KeyBERT: from plain text to keyphrases, tagging included.

KeyBERT has the same encoder, all-MiniLM-L6-v2, by sentence-transformers on torch, and is called document by document
as its documentation does. First with its usual candidates, all n-grams of one to three words; then with ours given to
it, which spares it the tagging ("strict": only our side tags) or does not (the tagging is added to its side).
It reads 256 pieces of a document, the length that the model's sentence-transformers configuration sets; where a
figure says so, the limit is raised to the encoder's 512.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from common import Figure, abstracts, alternate, blocks, extractor, main, model_folder, news, ratio, tag
from mderank.candidates import NounPhrases


class Rival:
    """KeyBERT on the local weights."""

    def __init__(self, pieces: int = 256) -> None:
        from keybert import KeyBERT
        from sentence_transformers import SentenceTransformer

        encoder = SentenceTransformer(str(model_folder()), device="cpu")
        encoder.max_seq_length = pieces
        self._model = KeyBERT(model=encoder)

    def extract(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._model.extract_keywords(text, keyphrase_ngram_range=(1, 3), stop_words="english")

    def extract_given(self, texts: Sequence[str], candidates: Sequence[Sequence[str]]) -> None:
        for text, some in zip(texts, candidates, strict=True):
            self._model.extract_keywords(text, candidates=list(some))


def candidates_of(texts: Sequence[str]) -> list[list[str]]:
    return [[candidate.key for candidate in NounPhrases().find(document)] for document in tag(texts)]


def measure(quick: bool) -> Iterator[Figure]:
    ours, usual, long_sighted = extractor(), Rival(), Rival(pieces=512)
    tagger = ours.tagger

    def usual_call(texts: Sequence[str], rounds: int) -> Iterator[Figure]:
        parts = blocks(texts, 25)
        theirs, many, single = alternate(
            [
                lambda number: usual.extract(parts[number]),
                lambda number: list(ours.extract_many(parts[number])),
                lambda number: [ours.extract(text) for text in parts[number]],
            ],
            len(parts),
            rounds,
        )
        yield ratio("KeyBERT, its usual call, abstracts", theirs, many, len(texts), note="extract_many", at_least=5)
        yield ratio("KeyBERT, its usual call, abstracts", theirs, single, len(texts), note="extract, one by one")

    def same_candidates(kind: str, texts: Sequence[str], size: int, rounds: int) -> Iterator[Figure]:
        parts = blocks(texts, size)
        given = blocks(candidates_of(texts), size)
        theirs, sighted, tagging, many, single = alternate(
            [
                lambda number: usual.extract_given(parts[number], given[number]),
                lambda number: long_sighted.extract_given(parts[number], given[number]),
                lambda number: [NounPhrases().find(document) for document in tagger.tag(parts[number])],
                lambda number: list(ours.extract_many(parts[number])),
                lambda number: [ours.extract(text) for text in parts[number]],
            ],
            len(parts),
            rounds,
        )
        tagged = [one + other for one, other in zip(theirs, tagging, strict=True)]
        for mine, how in ((many, "extract_many"), (single, "extract, one by one")):
            for rival, sides in ((theirs, "strict"), (tagged, "tagging on both sides")):
                what = f"KeyBERT, our candidates, {kind}, {sides}"
                yield ratio(what, rival, mine, len(texts), note=how, at_least=1.3)
        what = f"KeyBERT reading 512 pieces, our candidates, {kind}, strict"
        yield ratio(what, sighted, many, len(texts), note="extract_many")

    rounds = 1 if quick else 3
    yield from usual_call(abstracts(4 if quick else 100), min(rounds, 2))
    yield from same_candidates("abstracts", abstracts(4 if quick else 100), 25, rounds)
    yield from same_candidates("512 words", news(2 if quick else 30), 10, rounds)


if __name__ == "__main__":
    main(measure, __doc__)
