"""The vectorizer for scikit-learn, in scikit-learn."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from mderank import FusionRank, InputError, MissingExtraError, OptionError, Options
from mderank.integrations.sklearn import InvalidDocumentsError, KeyphraseVectorizer
from mderank.methods import FirstPhrases
from mderank.testing import FakeTagger

SEA = [
    "Coral reefs protect the coast from storms. Warm water bleaches the coral reef.",
    "The tide gauge records the sea level. A storm surge lifts the sea level above the tide gauge.",
    "Marine reserves let a coral reef recover, where fishing stops and the sea water stays cool.",
]
COURT = [
    "The court dismissed the claim of the landlord. A tenant may reduce the rent while the lift is broken.",
    "The appeal succeeds: the notice to quit was void, and the landlord bears the costs of the court.",
    "A rent reduction needs no consent of the landlord, held the regional court in its judgment.",
]
TEXTS = SEA + COURT
TOPICS = ["sea"] * 3 + ["court"] * 3


def quick(**options):
    """A vectorizer that loads no encoder: FirstPhrases, and a tagger to which every word is a noun."""
    return KeyphraseVectorizer(extractor=FirstPhrases(tagger=FakeTagger()), **options)


def names(vectorizer):
    return list(vectorizer.get_feature_names_out())


def test_a_column_per_phrase_whatever_its_form():
    vectorizer = quick()
    matrix = vectorizer.fit_transform(["Coral reefs, tide. coral reef.", "A CORAL REEF. Tides.", "coral reefs"])
    assert names(vectorizer) == ["coral reefs", "tide"]
    assert vectorizer.vocabulary_ == {"coral reefs": 0, "tide": 1}
    assert matrix.toarray().tolist() == [[2, 1], [1, 1], [1, 0]]
    assert matrix.dtype == np.int64


def test_case_of_the_names():
    texts = ["NATO, Baltic Sea", "nato, Baltic Sea, NATO", "NATO"]
    assert names(quick().fit(texts)) == ["baltic sea", "nato"]
    assert names(quick(lowercase=False).fit(texts)) == ["Baltic Sea", "NATO"]


def test_what_the_matrix_holds():
    texts = ["coral reef, tide, coral reef"]
    found = FirstPhrases(tagger=FakeTagger()).extract(texts[0])
    scores = {each.text: each.score for each in found}
    assert quick(values="count").fit_transform(texts).toarray().tolist() == [[2, 1]]
    assert quick(values="binary").fit_transform(texts).toarray().tolist() == [[1, 1]]
    assert quick(values="score").fit_transform(texts).toarray().tolist() == [[scores["coral reef"], scores["tide"]]]


def test_unknown_phrases_of_new_documents_are_left_out():
    vectorizer = quick().fit(["coral reef, tide"])
    assert vectorizer.transform(["tides, harbour", "", "harbour"]).toarray().tolist() == [[0, 1], [0, 0], [0, 0]]
    assert vectorizer.transform([]).shape == (0, 2)


def test_only_the_best_phrases_are_counted():
    texts = ["coral reef, tide, harbour", "coral reef, gauge"]
    assert names(quick(top_k=1).fit(texts)) == ["coral reef"]
    assert names(quick(top_k=2).fit(texts)) == ["coral reef", "gauge", "tide"]
    assert len(quick(top_k=0).fit([", ".join(f"word{i}" for i in range(30))]).vocabulary_) == 30


@pytest.mark.parametrize(
    "limits",
    [{"min_df": 2}, {"max_df": 2}, {"min_df": 0.4, "max_df": 0.9}, {"max_features": 2}, {"max_features": 1}, {}],
)
def test_limits_are_those_of_count_vectorizer(limits):
    texts = ["tide, reef, reef, reef", "tide, gauge, gauge", "tide, reef, harbour", "tide, harbour"]
    ours, theirs = quick(**limits), CountVectorizer(**limits)
    matrix = ours.fit_transform(texts)
    assert matrix.toarray().tolist() == theirs.fit_transform(texts).toarray().tolist()
    assert names(ours) == list(theirs.get_feature_names_out())
    assert ours.transform(texts).toarray().tolist() == matrix.toarray().tolist()


def test_fit_and_transform_are_fit_transform():
    both, apart = KeyphraseVectorizer(method="firstphrases"), KeyphraseVectorizer(method="firstphrases")
    together = both.fit_transform(TEXTS)
    assert issparse(together)
    assert apart.fit(TEXTS) is apart
    assert (apart.transform(iter(TEXTS)) != together).nnz == 0
    assert (both.transform(pd.Series(TEXTS, index=range(10, 16))) != together).nnz == 0
    assert (both.transform(np.array(TEXTS)) != together).nnz == 0


def test_the_phrases_are_those_of_the_extractor():
    vectorizer = KeyphraseVectorizer(top_k=6).fit(TEXTS)
    expected = {each.text.lower() for text in TEXTS for each in FusionRank().extract(text, 6)}
    assert set(names(vectorizer)) <= expected
    assert {"coral reefs", "tide gauge", "landlord"} <= set(names(vectorizer))


def test_in_a_pipeline_in_place_of_a_tfidf_vectorizer():
    model = make_pipeline(KeyphraseVectorizer(top_k=5), TfidfTransformer(), LogisticRegression())
    model.fit(TEXTS, TOPICS)
    assert model.predict(["A storm surge floods coral reefs.", "The landlord lost the claim."]).tolist() == [
        "sea",
        "court",
    ]
    weights = dict(zip(model[:-1].get_feature_names_out(), model[-1].coef_[0], strict=True))
    assert weights["landlord"] < 0 < weights["tide gauge"]  # court comes before sea in the alphabet


def test_settings_are_searched_and_cloned():
    pipeline = make_pipeline(quick(), LogisticRegression())
    search = GridSearchCV(
        pipeline, {"keyphrasevectorizer__top_k": [1, 3], "keyphrasevectorizer__values": ["binary"]}, cv=2
    )
    search.fit([text.replace(" ", ", ") for text in TEXTS], TOPICS)
    assert search.best_params_["keyphrasevectorizer__values"] == "binary"
    vectorizer = KeyphraseVectorizer("yake", top_k=3, options={"exclude": ["coral"]}, min_df=2)
    assert clone(vectorizer).get_params() == vectorizer.get_params()
    assert vectorizer.set_params(top_k=7).top_k == 7
    written = " ".join(repr(vectorizer).split())
    assert written == "KeyphraseVectorizer(method='yake', min_df=2, options={'exclude': ['coral']}, top_k=7)"
    with pytest.raises(NotFittedError):
        clone(vectorizer.fit(TEXTS)).transform(TEXTS)


def test_pickle_has_no_model_in_it():
    vectorizer = KeyphraseVectorizer(top_k=3).fit(TEXTS)
    data = pickle.dumps(vectorizer)
    assert len(data) < 5_000
    assert (pickle.loads(data).transform(TEXTS) != vectorizer.transform(TEXTS)).nnz == 0
    own = pickle.loads(pickle.dumps(quick().fit(["tide, reef"])))
    assert own.transform(["reef"]).toarray().tolist() == [[1, 0]]


def test_options_of_the_extraction():
    texts = ["Das rote Haus steht. Der alte Mann schläft im roten Haus."]
    vectorizer = KeyphraseVectorizer("firstphrases", language="de").fit(texts)
    assert vectorizer.vocabulary_["rote haus"] is not None
    excluded = KeyphraseVectorizer("firstphrases", options=Options(language="de", exclude=("rote Haus",))).fit(texts)
    assert "rote haus" not in excluded.vocabulary_


def test_vocabulary_of_a_count_vectorizer():
    phrases = KeyphraseVectorizer(top_k=5).fit(SEA).get_feature_names_out()
    counter = CountVectorizer(vocabulary=phrases, ngram_range=(1, 4))
    counts = dict(zip(phrases, counter.fit_transform(SEA).toarray()[1], strict=True))
    assert counts["tide gauge"] == 2
    assert counts["sea level"] == 2
    # Phrases with signs and single letters, by the words of docs/integrations.md.
    phrases = ["depth-averaged model", "tcp/ip", "c++", "vitamin d", "apache 2.0", "sea level"]
    words = r"\w+(?:[-'’/&]\w+|\.\d+)*[+#]*"
    counter = CountVectorizer(vocabulary=phrases, ngram_range=(1, 7), token_pattern=words)
    text = "A depth-averaged model (TCP/IP, C++) of vitamin D, by Apache 2.0. The sea level."
    assert counter.transform([text]).toarray().tolist() == [[1] * 6]
    analyzed = CountVectorizer(analyzer=quick().build_analyzer()).fit(["tide, coral reef, tide"])
    assert analyzed.transform(["coral reef, tide, tide"]).toarray().tolist() == [[1, 2]]


def test_analyzer_and_inverse_and_tokenizer():
    vectorizer = quick().fit(["coral reefs, tide", "coral reefs"])
    assert vectorizer.build_analyzer()("coral reef, harbour, coral reef") == ["coral reefs"] * 2 + ["harbour"]
    rows = vectorizer.inverse_transform(vectorizer.transform(["tide, coral reef", "", "tide"]))
    assert [row.tolist() for row in rows] == [["coral reefs", "tide"], [], ["tide"]]
    assert vectorizer.build_tokenizer()("Reefs, tides.") == ["Reefs,", "tides."]


def test_class_of_the_matrix_follows_the_configuration_of_sklearn():
    assert isinstance(quick().fit_transform(["tide"]), csr_matrix)
    try:
        with config_context(sparse_interface="sparray"):
            assert isinstance(quick().fit_transform(["tide"]), csr_array)
    except TypeError:  # before scikit-learn 1.9
        assert isinstance(CountVectorizer().fit_transform(["tide"]), csr_matrix)


def test_in_a_column_transformer():
    frame = pd.DataFrame({"text": ["coral reef", "tide"], "size": [1.0, 2.0]})
    transformer = ColumnTransformer([("phrases", quick(), "text"), ("size", "passthrough", ["size"])])
    assert transformer.fit_transform(frame).tolist() == [[1, 0, 1], [0, 1, 2]]
    assert list(transformer.get_feature_names_out()) == ["phrases__coral reef", "phrases__tide", "size__size"]


def test_languages_share_a_column_where_their_words_are_alike():
    texts = ["The restaurant of the hotel serves fish to all guests of the town.",
             "Das Restaurant des Hotels serviert den Gästen der Stadt jeden Tag frischen Fisch."]  # fmt: skip
    vectorizer = KeyphraseVectorizer("firstphrases").fit(texts)
    assert len(set(names(vectorizer))) == len(names(vectorizer))
    assert sorted(vectorizer.vocabulary_.values()) == list(range(len(vectorizer.vocabulary_)))


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("one text", "several texts, not one"),
        (["a text", None], "document 1: a text must be a str.* not NoneType"),
        (["a text", float("nan")], "document 1: .* not float"),
        ([b"bytes"], "document 0: .* not bytes"),
        (["", ""], "none of the 2 documents has a keyphrase"),
        ([], "none of the 0 documents"),
    ],
)
def test_documents_that_cannot_be_read(documents, message):
    with pytest.raises(InvalidDocumentsError, match=message) as caught:
        quick().fit(documents)
    assert isinstance(caught.value, InputError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"values": "counts"}, "values must be one of count, score, binary, not 'counts'"),
        ({"method": "nothing"}, "unknown method"),
        ({"top_k": -1}, "top_k must be"),
        ({"options": {"top_k": 3}}, "options must not hold top_k"),
        ({"options": {"windows": 3}}, "windows"),
        ({"extractor": FirstPhrases}, r"extractor must be an extractor such as FusionRank\(\), not <class"),
        ({"extractor": "yake"}, "extractor must be an extractor"),
        ({"options": ["max_words"]}, "options must be Options or a mapping"),
        ({"extractor": FirstPhrases(), "language": "de"}, "extractor excludes method, language and options"),
    ],
)
def test_settings_that_do_not_fit(settings, message):
    with pytest.raises(OptionError, match=message):
        KeyphraseVectorizer(**settings).fit(TEXTS)


def test_limits_that_do_not_fit_are_refused_by_sklearn():
    with pytest.raises(ValueError, match="min_df"):
        quick(min_df="many").fit(["tide"])
    with pytest.raises(ValueError, match="no terms remain"):
        quick(min_df=2).fit(["tide", "reef"])


def test_tags():
    tags = get_tags(KeyphraseVectorizer())
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    with pytest.raises(NotFittedError):
        KeyphraseVectorizer().get_feature_names_out()


def test_without_scikit_learn_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.delitem(sys.modules, "mderank.integrations.sklearn")
    with pytest.raises(MissingExtraError, match=r"pip install 'mderank\[sklearn\]'"):
        import mderank.integrations.sklearn  # noqa: F401


def test_checks_of_sklearn_for_transformers_of_texts():
    """There is one for texts; the next test runs those that scikit-learn has for numbers."""
    with pytest.warns(match="requires input"):  # says that it has no data to check a transformer of texts with
        results = check_estimator(KeyphraseVectorizer())
    assert [each["status"] for each in results] == ["passed"]


class OfNumbers(KeyphraseVectorizer):
    """A vectorizer of texts whose words stand for numbers, so that all checks of scikit-learn can be run."""

    words = "coral reef storm tide gauge harbour surge model network wave estuary fish water coast rain cloud".split()

    def _texts(self, X, reset):  # noqa: N803
        rows = validate_data(self, X, reset=reset)
        return [", ".join(self.words[int(abs(n) * 7 + i * 3) % len(self.words)] for i, n in enumerate(r)) for r in rows]

    def fit(self, X, y=None):  # noqa: N803
        return super().fit(self._texts(X, True))

    def fit_transform(self, X, y=None):  # noqa: N803
        return super().fit_transform(self._texts(X, True))

    def transform(self, X):  # noqa: N803
        check_is_fitted(self)
        return super().transform(self._texts(X, False))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.string = True, False
        return tags


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of scikit-learn's own checks
def test_all_checks_of_sklearn_on_numbers_as_texts():
    estimator = OfNumbers(extractor=FirstPhrases(tagger=FakeTagger()), min_df=1)
    results = check_estimator(estimator, on_skip=None, expected_failed_checks={})
    assert len(results) > 35
    assert {each["check_name"] for each in results if each["status"] != "passed"} <= {
        "check_array_api_input"
    }  # skipped


def test_labels_of_a_concept_share_a_column(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("id,label,synonyms\nt3,storm surge,surge\nt2,tide gauge,mareograph\n")
    vectorizer = KeyphraseVectorizer("firstphrases", options={"vocabulary": str(file)})
    matrix = vectorizer.fit_transform(["A surge rises.", "The storm surges meet the mareograph. The surge falls."])
    assert list(vectorizer.get_feature_names_out()) == ["storm surge", "tide gauge"]
    assert matrix.toarray().tolist() == [[1, 0], [2, 1]]
