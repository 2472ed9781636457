"""The vectorizer for scikit-learn in BERTopic and KeyBERT, which call it in ways of their own."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from tests.integrations.test_sklearn import COURT, SEA

from mderank.integrations.sklearn import KeyphraseVectorizer

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of the packages under test

TEXTS = [f"{text} Letter {number}." for number, text in enumerate((SEA + COURT) * 2)]
EMBEDDINGS = np.array([[number % 6 < 3, number % 6 >= 3, number / 100] for number in range(len(TEXTS))], dtype=float)


WORDS = r"\w+(?:[-'’/&]\w+|\.\d+)*[+#]*"  # as in docs/integrations.md


def topic_model(vectorizer, **options):
    bertopic = pytest.importorskip("bertopic", reason="bertopic is not installed")
    clusters = KMeans(2, random_state=0, n_init=3)
    return bertopic.BERTopic(
        embedding_model=None, umap_model=PCA(2), hdbscan_model=clusters, vectorizer_model=vectorizer, **options
    )


def words(model):
    return {word for topic in model.get_topics().values() for word, _ in topic}


def test_vectorizer_of_bertopic(tmp_path):
    model = topic_model(KeyphraseVectorizer(top_k=20), language="multilingual")
    topics, _ = model.fit_transform(TEXTS, embeddings=EMBEDDINGS)
    sea, court = topics[0], topics[3]
    assert topics == [sea] * 3 + [court] * 3 + [sea] * 3 + [court] * 3
    assert "landlord" in dict(model.get_topic(court))
    assert "tide gauge" in dict(model.get_topic(sea))
    # Further calls of BERTopic: windows of words, classes, other vectorizers, fewer topics, files.
    distributions, _ = model.approximate_distribution(TEXTS[:4], window=8, stride=4)
    assert [int(row.argmax()) for row in distributions] == [sea, sea, sea, court]
    assert len(model.topics_per_class(TEXTS, classes=["odd", "even"] * 6)) == 4
    model.update_topics(TEXTS, vectorizer_model=KeyphraseVectorizer(top_k=2))
    assert "tide gauge" in words(model)
    model.save(str(tmp_path / "model"), serialization="pickle")
    again = type(model).load(str(tmp_path / "model"))
    assert again.transform(TEXTS[:4], embeddings=EMBEDDINGS[:4])[0] == [sea, sea, sea, court]


def test_documents_joined_without_punctuation_are_read_as_one_sentence():
    """What docs/integrations.md warns of: BERTopic strips English texts, so that phrases run over their ends."""
    stripped, whole = (topic_model(KeyphraseVectorizer(top_k=20), language=of) for of in ("english", "multilingual"))
    for model in (stripped, whole):
        model.fit_transform(TEXTS, embeddings=EMBEDDINGS)
    assert "storms" in words(whole)
    assert "storms" not in words(stripped)


def test_phrases_of_the_single_documents_as_vocabulary_of_bertopic():
    texts = [text.replace("Warm water", "Long-term warming") for text in TEXTS]
    phrases = KeyphraseVectorizer(top_k=8).fit(texts).get_feature_names_out()
    counter = CountVectorizer(vocabulary=phrases, ngram_range=(1, 7), token_pattern=WORDS)
    model = topic_model(counter, language="multilingual")
    model.fit_transform(texts, embeddings=EMBEDDINGS)
    assert {"long-term warming", "tide gauge", "landlord"} <= words(model)
    assert words(model) <= {*phrases, ""}


def test_vectorizer_of_keybert():
    keybert = pytest.importorskip("keybert", reason="keybert is not installed")
    from keybert.backend import BaseEmbedder

    class Hashes(BaseEmbedder):
        def embed(self, documents, verbose=False):
            return HashingVectorizer(n_features=512, alternate_sign=False).transform(documents).toarray()

    model = keybert.KeyBERT(model=Hashes())
    one = model.extract_keywords(TEXTS[0], vectorizer=KeyphraseVectorizer(top_k=8), top_n=3)
    assert "coral reefs" in dict(one)
    several = model.extract_keywords(TEXTS[:2], vectorizer=KeyphraseVectorizer(top_k=8), top_n=3)
    assert several[0] == one
    assert "tide gauge" in dict(several[1])
