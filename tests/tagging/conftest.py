import pytest

from mderank import SpacyTagger


@pytest.fixture(scope="session")
def english() -> SpacyTagger:
    return SpacyTagger()
