# %% [markdown]
# # Keyphrases for pandas and scikit-learn
#
# A script in cells (`# %%`), for editors that run these one by one; `python examples/pandas_and_sklearn.py` runs all.
# It needs `pip install mderank pandas scikit-learn`.

# %%
from __future__ import annotations

import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from mderank import FusionRank, Options, build_extractor

# %% [markdown]
# ## A column of keyphrases
#
# `extract_many` reads a whole column in shared encoder passes, in its order, and gives one result at a time. A text
# that cannot be read has no keyphrases and says why in `error`; the others are not held up.

# %%
frame = pd.DataFrame(
    {
        "topic": ["sea", "sea", "sea", "court", "court", "court"],
        "text": [
            "Coral reefs protect the coast from storms. Warm water bleaches coral, and bleached reefs lose their fish.",
            "The tide gauge records the sea level. A storm surge lifts the sea level above the tide.",
            "Marine reserves let coral reefs recover, where fishing stops and the sea water stays cool.",
            "The court dismissed the claim of the landlord. A tenant may reduce the rent while the lift is broken.",
            "The appeal succeeds: the notice to quit was void, and the landlord bears the costs of the court.",
            "A rent reduction needs no consent of the landlord, held the regional court in its judgment.",
        ],
    }
)
extractor = FusionRank()
found = list(extractor.extract_many(frame["text"], top_k=3))
frame["keyphrases"] = [[each.text for each in keyphrases] for keyphrases in found]
print(frame[["topic", "keyphrases"]].to_string())

# %% [markdown]
# ## One row per keyphrase
#
# With score, confidence and the places in the text: what one groups, joins and counts.

# %%
rows = pd.DataFrame(
    [
        (document, rank, each.text, each.score, each.confidence, len(each.spans), each.spans[0].start)
        for document, keyphrases in zip(frame.index, found, strict=True)
        for rank, each in enumerate(keyphrases, start=1)
    ],
    columns=["document", "rank", "keyphrase", "score", "confidence", "count", "first"],
)
print(rows.groupby("keyphrase")["score"].agg(["size", "max"]).sort_values("max", ascending=False).head().to_string())


# %% [markdown]
# ## A step of a scikit-learn pipeline
#
# A transformer from texts to lists of keyphrases. It learns nothing, so that `fit` has nothing to do; its settings are
# plain values, so that `clone`, `set_params` and a grid search work; the encoder is loaded when it is first needed.


# %%
class Keyphrases(TransformerMixin, BaseEstimator):
    """Texts to lists of keyphrases, by any method of ``mderank methods``."""

    def __init__(self, method: str = "fusion", top_k: int = 10) -> None:
        self.method = method
        self.top_k = top_k

    def fit(self, texts: object, labels: object = None) -> Keyphrases:
        """Nothing is learned; scikit-learn wants to see that it was asked to."""
        self.extractor_ = build_extractor(Options(method=self.method))
        return self

    def transform(self, texts: list[str]) -> list[list[str]]:
        """The keyphrases of each text, in lower case."""
        made = self.extractor_.extract_many(texts, self.top_k)
        return [[each.text.lower() for each in keyphrases] for keyphrases in made]


def as_they_are(phrases: list[str]) -> list[str]:
    """What is in lists already need not be cut into words again."""
    return phrases


# %%
model = make_pipeline(
    Keyphrases(top_k=5),
    TfidfVectorizer(analyzer=as_they_are),
    LogisticRegression(),
)
model.fit(frame["text"], frame["topic"])
new = ["A storm surge floods coral reefs.", "The landlord lost in the regional court."]
predicted = model.predict(new)
print(dict(zip(new, predicted.tolist(), strict=True)))
