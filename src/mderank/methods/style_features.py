"""Features of candidates that a style weighs, beside those of `FusionRank`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mderank.encoding import Embeddings
from mderank.methods.scores import ScoringInput
from mderank.text import stem_phrase
from mderank.util.arrays import Floats, Numbers

KNOWN_LABEL = "known_label"
# Those of FusionRank come first; see `FusionWeights`.
STYLE_FEATURES = (
    "context_similarity",
    "context_agreement",
    "centrality",
    "words",
    "single_word",
    "long_phrase",
    "capital",
    "capitals",
    "digit",
    "hyphen",
    "single_word_frequency",
    "single_word_unithood",
    KNOWN_LABEL,
)
_LONG = 4  # words from which on a phrase is long


def style_features(
    item: ScoringInput, embeddings: Embeddings, terms: Mapping[str, Floats], labels: Mapping[str, int]
) -> dict[str, Floats]:
    """Compute the features of candidates that only styles weigh.

    Args:
        item: The document and its m candidates.
        embeddings: Their embeddings.
        terms: The scaled features of `FusionRank`.
        labels: Labels of the training documents, as stems, with the number of documents that have them.

    Returns:
        Values ``(m,)`` by name, in the order of `STYLE_FEATURES`.
    """
    forms = surface_forms(item)
    words = np.asarray([len(form.split()) for form in forms], dtype=np.float64)
    single = (words == 1).astype(np.float64)
    document, phrases, contexts = map(_normalise, (embeddings.document, embeddings.phrases, embeddings.contexts))
    centre = _normalise(phrases.mean(axis=0)) if len(forms) else document
    return {
        "context_similarity": contexts @ document,
        "context_agreement": np.sum(contexts * phrases, axis=1),
        "centrality": phrases @ centre,
        "words": words,
        "single_word": single,
        "long_phrase": (words >= _LONG).astype(np.float64),
        "capital": _share(form[:1].isupper() for form in forms),
        "capitals": _share(len(form) > 1 and form.isupper() for form in forms),
        "digit": _share(any(map(str.isdigit, form)) for form in forms),
        "hyphen": _share("-" in form for form in forms),
        "single_word_frequency": single * terms["frequency"],
        "single_word_unithood": single * terms["unithood"],
        KNOWN_LABEL: known_labels(stems(item), labels) if labels else np.zeros(len(forms)),  # stemming takes time
    }


def known_labels(stems: Sequence[str], labels: Mapping[str, int]) -> Floats:
    """Measure how often candidates were labels of the training documents.

    Args:
        stems: The stems of m candidates.
        labels: Labels as stems, with the number of documents that have them.

    Returns:
        ln(1 + documents) of each candidate ``(m,)``.
    """
    counts: Floats = np.log1p(np.asarray([labels.get(each, 0) for each in stems], dtype=np.float64))
    return counts


def surface_forms(item: ScoringInput) -> list[str]:
    """Return each candidate as it first stands in the text."""
    return [item.document.surface_form(each.occurrences[0].span) for each in item.candidates]


def stems(item: ScoringInput) -> list[str]:
    """Return the stems of each candidate, by which labels are found."""
    return [stem_phrase(form, item.document.language) for form in surface_forms(item)]


def _normalise(vectors: Floats) -> Floats:
    """Vectors of length 1, in float64."""
    vectors = vectors.astype(np.float64)
    normalised: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-30)
    return normalised


def _share(flags: object) -> Numbers:
    return np.asarray(list(flags), dtype=np.float64)  # type: ignore[call-overload]
