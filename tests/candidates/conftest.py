from collections.abc import Callable

import pytest

from mderank import Candidate, Document


@pytest.fixture
def tagged() -> Callable[..., Document]:
    """A function from ``"deep/JJ learning/NN"`` to a document; ``¶`` begins a paragraph."""

    def make(text: str, **options: str) -> Document:
        pairs: list[list[str]] = []
        starts = {0}
        for word in text.split():
            if word == "¶":
                starts.add(len(pairs))
            else:
                pairs.append(word.rsplit("/", 1))
        document = Document.from_tagged(pairs, **options)
        return Document(document.text, document.tokens, frozenset(starts), document.tagset, document.language)

    return make


@pytest.fixture
def places() -> Callable[[Document, list[Candidate]], dict[str, list[str]]]:
    """A function to what stands at each candidate's places."""

    def find(document: Document, candidates: list[Candidate]) -> dict[str, list[str]]:
        return {each.key: [document.text[slice(*place.span)] for place in each.occurrences] for each in candidates}

    return find
