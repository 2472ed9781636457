"""The table of concepts: what it says beside the phrase."""

import io

import pytest

from mderank import ConceptLabel, Keyphrase, Keyphrases, Span
from mderank.writing import DocumentResult, make_writer


@pytest.mark.parametrize(
    ("concept", "shown"),
    [
        (None, "Surges"),
        (ConceptLabel("t3", "storm surge"), "Surges  = storm surge  (t3)"),
        (ConceptLabel("t3", "surges"), "Surges  (t3)"),
        (ConceptLabel("storm surge", "storm surge"), "Surges  = storm surge"),
        (ConceptLabel("surges", "surges"), "Surges"),
        (ConceptLabel("t\x1b3", "a\nb"), "Surges  = a\\nb  (t\\x1b3)"),
    ],
)
def test_the_concept_follows_the_phrase(concept, shown):
    phrase = Keyphrase("Surges", 0.5, 0.5, (Span(0, 6),), ("Surges",), concept=concept)
    stream = io.StringIO()
    make_writer("table", stream).write(DocumentResult("d", "Surges", Keyphrases([phrase])))
    assert stream.getvalue().splitlines()[1].endswith(f"1×  {shown}")
