from collections.abc import Callable

import pytest

from mderank import Document, NounPhrases, SpacyTagger


@pytest.fixture(scope="session")
def english() -> SpacyTagger:
    return SpacyTagger()


@pytest.fixture
def read(english: SpacyTagger) -> Callable[[str], Document]:
    """A function from an English text to its words and tags."""
    return lambda text: next(english.tag([text]))


@pytest.fixture
def phrases(read: Callable[[str], Document]) -> Callable[[str], list[str]]:
    """A function from an English text to its noun phrases."""
    return lambda text: [each.key for each in NounPhrases().find(read(text))]
