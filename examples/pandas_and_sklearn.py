# %% [markdown]
# # Keyphrases for pandas and scikit-learn
#
# A script in cells (`# %%`), for editors that run these one by one; `python examples/pandas_and_sklearn.py` runs all.
# It needs `pip install 'mderank[sklearn]' pandas`.

# %%
from __future__ import annotations

import pandas as pd
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from mderank import FusionRank
from mderank.integrations.sklearn import KeyphraseVectorizer

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
frame["keyphrases"] = [keyphrases.texts for keyphrases in found]
print(frame[["topic", "keyphrases"]].to_string())

# %% [markdown]
# ## One row per keyphrase
#
# The frames of all texts, one below the other. `key` is the same for all forms of a phrase, so it groups over texts.

# %%
rows = pd.concat(
    [keyphrases.to_frame().assign(topic=topic) for topic, keyphrases in zip(frame["topic"], found, strict=True)],
    keys=frame.index,
    names=["document"],
)
counts = rows.groupby(["topic", "key"])["count"].sum()
print(counts.sort_values(ascending=False).head().to_string())


# %% [markdown]
# ## A step of a scikit-learn pipeline
#
# `KeyphraseVectorizer` makes a matrix with a column per keyphrase. It holds settings, so that `clone`,
# `set_params` and a grid search work.

# %%
model = make_pipeline(KeyphraseVectorizer(top_k=5), TfidfTransformer(), LogisticRegression())
model.fit(frame["text"], frame["topic"])
new = ["A storm surge floods coral reefs.", "The landlord lost in the regional court."]
predicted = model.predict(new)
print(dict(zip(new, predicted.tolist(), strict=True)))
