"""A vectorizer for scikit-learn: documents to a matrix of their keyphrases, in place of ``CountVectorizer``.

>>> vectorizer = KeyphraseVectorizer(top_k=2)
>>> matrix = vectorizer.fit_transform(
...     ["Coral reefs feed fish. Warm water harms a coral reef.", "Storms break coral reefs."]
... )
>>> [str(name) for name in vectorizer.get_feature_names_out()]
['coral reefs', 'storms', 'warm water']
>>> matrix.toarray().tolist()
[[2, 0, 1], [1, 1, 0]]

Forms of a phrase, such as "coral reef" and "Coral reefs", share a column. So do the labels of a vocabulary's concept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from mderank.document import AnyText, Document, MarkedUpText
from mderank.errors import InputError, MissingExtraError, OptionError
from mderank.integrations.settings import merge_options
from mderank.keyphrase import Keyphrases
from mderank.methods.base import Extractor
from mderank.options import Options
from mderank.shared import SharedExtractor, shared_extractor

try:
    from scipy.sparse import csr_array, csr_matrix
    from sklearn import get_config
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.utils import Tags
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise MissingExtraError("mderank.integrations.sklearn", "sklearn") from error

Values = Literal["count", "score", "binary"]
_VALUES: tuple[Values, ...] = ("count", "score", "binary")


class InvalidDocumentsError(InputError, ValueError):
    """Documents that cannot be vectorized. scikit-learn's own code expects a ``ValueError``."""


class _Entry(NamedTuple):
    """A keyphrase of one document: its most frequent form, its occurrences and its score."""

    form: str
    occurrences: int
    score: float


class KeyphraseVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Turn documents into a sparse matrix with a column per keyphrase.

    `fit` extracts the keyphrases of all documents and makes columns of them. `transform` extracts the keyphrases of
    documents and fills the columns that are known. Extractors are shared by all vectorizers with equal options, and
    are not part of a clone or a pickle.

    Args:
        method: Ranking method; see ``mderank methods``.
        top_k: Number of keyphrases per document; 0 takes all.
        language: Language of all documents, by code or English name; None finds out that of each.
        options: Further options of the extraction: `Options`, or a mapping of its fields.
        extractor: An extractor of your own, instead of ``method``, ``language`` and ``options``. It is copied with a
            clone and must be picklable to be pickled.
        values: What the matrix holds: ``"count"``, the occurrences in the document; ``"score"``, the score of the
            keyphrase; ``"binary"``, 1.
        min_df: Ignore phrases that are keyphrases of fewer documents: a number, or a fraction of the documents.
        max_df: Ignore phrases that are keyphrases of more documents: a number, or a fraction of the documents.
        max_features: Keep only the phrases with the most occurrences.
        lowercase: Whether the names of the columns are in lower case. Forms that differ in case share a column anyway.

    Attributes:
        vocabulary_: Column of each phrase, by name: its most frequent form.
    """

    vocabulary_: dict[str, int]
    _names: dict[str, str]  # the name of each key

    def __init__(
        self,
        method: str = "fusion",
        *,
        top_k: int = 10,
        language: str | None = None,
        options: Options | Mapping[str, Any] | None = None,
        extractor: Extractor | None = None,
        values: Values = "count",
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        lowercase: bool = True,
    ) -> None:
        self.method = method
        self.top_k = top_k
        self.language = language
        self.options = options
        self.extractor = extractor
        self.values = values
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.lowercase = lowercase

    def fit(self, raw_documents: Iterable[AnyText], y: object = None) -> Self:
        """Learn the keyphrases of documents.

        Args:
            raw_documents: The documents.
            y: Ignored.

        Returns:
            The vectorizer itself.

        Raises:
            InvalidDocumentsError: If a document cannot be read, or no document has a keyphrase.
            OptionError: If an option is unknown or does not fit.
        """
        self._fit(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[AnyText], y: object = None) -> Any:
        """Learn the keyphrases of documents and return their matrix.

        Args:
            raw_documents: The documents.
            y: Ignored.

        Returns:
            A sparse matrix with a row per document and a column per keyphrase.

        Raises:
            InvalidDocumentsError: If a document cannot be read, or no document has a keyphrase.
            OptionError: If an option is unknown or does not fit.
        """
        return self._matrix(self._fit(raw_documents))

    def transform(self, raw_documents: Iterable[AnyText]) -> Any:
        """Return the matrix of documents. Keyphrases that `fit` did not see are left out.

        Args:
            raw_documents: The documents.

        Returns:
            A sparse matrix with a row per document and a column per keyphrase.

        Raises:
            InvalidDocumentsError: If a document cannot be read.
        """
        check_is_fitted(self, "vocabulary_")
        return self._matrix(self._extract(raw_documents))

    def inverse_transform(self, X: Any) -> list[Any]:  # noqa: N803  # scikit-learn's name
        """Return the keyphrases of the rows of a matrix.

        Args:
            X: A matrix of `transform`.

        Returns:
            An array of names per row, in the order of the columns.
        """
        check_is_fitted(self, "vocabulary_")
        names = self.get_feature_names_out()
        rows = csr_array(X)
        return [
            names[np.sort(rows.indices[start:end])] for start, end in zip(rows.indptr, rows.indptr[1:], strict=False)
        ]

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the columns.

        Args:
            input_features: Ignored.

        Returns:
            An array of strings.
        """
        check_is_fitted(self, "vocabulary_")
        return np.asarray(sorted(self.vocabulary_, key=self.vocabulary_.__getitem__), dtype=object)

    def build_analyzer(self) -> Callable[[AnyText], list[str]]:
        """Return the function from a document to its phrases, as ``CountVectorizer(analyzer=…)`` takes it.

        Returns:
            A function. It returns every phrase as often as it occurs.
        """

        def analyze(document: AnyText) -> list[str]:
            (row,) = self._extract([document])
            names = getattr(self, "_names", {})
            return [name for key, each in row.items() for name in [names.get(key, each.form)] * each.occurrences]

        return analyze

    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """Return the function that divides a text into words. BERTopic makes windows of them.

        Returns:
            A function that divides at white space, so that sentences keep their ends.
        """
        return str.split

    def _fit(self, raw_documents: Iterable[AnyText]) -> list[dict[str, _Entry]]:
        rows = self._extract(raw_documents)
        forms: dict[str, Counter[str]] = {}
        for row in rows:
            for key, each in row.items():
                forms.setdefault(key, Counter())[each.form] += 1
        if not forms:
            raise InvalidDocumentsError(
                f"none of the {len(rows)} documents has a keyphrase: they may be empty, or too short for min_confidence"
            )
        # Two keys may have the same most frequent form, in different languages. They share a column.
        self._names = {key: min(of, key=lambda form: (-of[form], form)) for key, of in forms.items()}
        counter = CountVectorizer(
            analyzer=_repeat, min_df=self.min_df, max_df=self.max_df, max_features=self.max_features
        )
        counter.fit([self._named(row) for row in rows])
        self.vocabulary_ = {str(name): int(column) for name, column in counter.vocabulary_.items()}
        return rows

    def _extract(self, raw_documents: Iterable[AnyText]) -> list[dict[str, _Entry]]:
        """The keyphrases of each document by their keys."""
        if self.values not in _VALUES:
            raise OptionError(f"values must be one of {', '.join(_VALUES)}, not {self.values!r}")
        if isinstance(raw_documents, str | Document | MarkedUpText):
            raise InvalidDocumentsError("documents must be several texts, not one: put it into a list")
        chosen = merge_options(self.options, method=self.method, language=self.language, top_k=self.top_k)
        if self.extractor is None:
            extractor = shared_extractor(chosen)
        elif not isinstance(self.extractor, Extractor) or isinstance(self.extractor, type):
            raise OptionError(f"extractor must be an extractor such as FusionRank(), not {self.extractor!r}")
        elif chosen.given().keys() <= {"top_k"}:
            extractor = SharedExtractor(self.extractor)
        else:
            raise OptionError("extractor excludes method, language and options: give the extractor alone")
        rows = []
        for number, found in enumerate(extractor.extract_many(raw_documents, chosen.top_k or None)):
            if found.error is not None:
                raise InvalidDocumentsError(f"document {number}: {found.error}") from found.error
            rows.append(self._row(found))
        return rows

    def _row(self, found: Keyphrases) -> dict[str, _Entry]:
        row: dict[str, _Entry] = {}
        for each in found:
            name = each.text if each.concept is None else each.concept.label
            form = name.lower() if self.lowercase else name
            key = each.key if each.concept is None else each.concept.id
            other = row.get(key, _Entry(form, 0, each.score))
            row[key] = _Entry(other.form, other.occurrences + len(each.spans), max(other.score, each.score))
        return row

    def _named(self, row: Mapping[str, _Entry]) -> dict[str, _Entry]:
        """The entries by the names of their columns."""
        named: dict[str, _Entry] = {}
        for key, each in row.items():
            name = self._names.get(key)
            if name is not None:
                other = named.get(name, _Entry(name, 0, each.score))
                named[name] = _Entry(name, other.occurrences + each.occurrences, max(other.score, each.score))
        return named

    def _matrix(self, rows: Sequence[Mapping[str, _Entry]]) -> Any:
        data: list[float] = []
        columns: list[int] = []
        ends = [0]
        for row in rows:
            known = {
                self.vocabulary_[name]: each for name, each in self._named(row).items() if name in self.vocabulary_
            }
            for column in sorted(known):
                columns.append(column)
                data.append(self._value(known[column]))
            ends.append(len(columns))
        # The class that scikit-learn's own vectorizers return; older versions know no other than csr_matrix.
        kind = csr_array if get_config().get("sparse_interface") == "sparray" else csr_matrix
        number = np.float64 if self.values == "score" else np.int64
        return kind((np.array(data, dtype=number), columns, ends), shape=(len(rows), len(self.vocabulary_)))

    def _value(self, entry: _Entry) -> float:
        return {"count": entry.occurrences, "score": entry.score, "binary": 1}[self.values]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []  # texts have none
        return tags


def _repeat(row: Mapping[str, _Entry]) -> list[str]:
    """Every phrase as often as it occurs, for scikit-learn to count."""
    return [name for name, each in row.items() for _ in range(each.occurrences)]
