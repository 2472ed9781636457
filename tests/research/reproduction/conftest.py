from __future__ import annotations

import pytest

from mderank.research.evaluation.protocols import Prediction
from mderank.research.evaluation.runs import DocumentOutcome
from mderank.research.reproduction.cells import Measured
from mderank.research.reproduction.config import EncoderInfo, Limits, ReproductionConfig


@pytest.fixture
def config():
    return ReproductionConfig(EncoderInfo("minilm-l6", 6, True, "mean", 512), exact_limit=Limits(100))


@pytest.fixture
def full():
    """Everything at hand."""
    plain = EncoderInfo("bert-base-uncased", 12)
    return ReproductionConfig(
        plain,
        kpe={
            "ab": EncoderInfo("kpe/ab", 12),
            "re": EncoderInfo("kpe/re", 12),
            "textrank": EncoderInfo("kpe/textrank", 12),
        },
        long_encoder=EncoderInfo("bigbird", 12, False, "max", 4096),
        elmo="elmo",
        sent2vec="wiki.bin",
    )


@pytest.fixture
def outcome():
    """A document's outcome from its predictions and gold keyphrases."""

    def make(predictions, gold, name="a"):
        scores = tuple(-float(place) for place in range(len(predictions)))
        return DocumentOutcome(name, tuple(Prediction(each) for each in predictions), scores, tuple(gold), 0.1, None)

    return make


@pytest.fixture
def run(outcome):
    """A run in which some of the documents are all right, and the others all wrong."""

    def make(right, documents=20, of=None):
        gold = [f"good phrase {number}" for number in range(15)]
        wrong = [f"bad idea {number}" for number in range(15)]
        outcomes = tuple(outcome(gold if number < right else wrong, gold, str(number)) for number in range(documents))
        return Measured(outcomes, documents if of is None else of)

    return make
