"""What a collection is about, worked out by hand."""

from __future__ import annotations

import json
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank.collection import build_overview, open_output
from mderank.collection.counts import Counts, mentions, rank_weight
from mderank.collection.keyness import compute_keyness
from mderank.errors import InputError, OptionError


def keyphrase(text, *spans, forms=()):
    return {"text": text, "score": 1.0, "spans": [list(span) for span in spans or [(0, 4)]], "forms": forms or [text]}


def row(identity, *phrases, error=None):
    made = [keyphrase(each) if isinstance(each, str) else each for each in phrases]
    return {"id": identity, "keyphrases": made, "truncated": None, "missing_phrases": [], "error": error}


ROWS = [
    row("a", keyphrase("coral reefs", (0, 11), (20, 31)), "fish", "storm"),
    row("b", "fish", "Coral reef"),
    row("c", "storm", "fish", keyphrase("coral-reef", (5, 15), forms=["coral-reef", "Coral reef"])),
    row("d", error="d: is not utf-8"),
    row("e", "whale"),
]


@pytest.fixture
def write(tmp_path):
    def written(rows, name="out.jsonl"):
        file = tmp_path / name
        file.write_text("".join(json.dumps(each) + "\n" for each in rows))
        return open_output(file)

    return written


def test_phrases_are_counted_with_their_variants(write):
    found = build_overview(write(ROWS))
    assert (found.documents, found.failed, found.distinct, found.mentions, found.sort) == (5, 1, 4, 9, "weight")
    assert [phrase.text for phrase in found.phrases] == ["fish", "Coral reef", "storm", "whale"]
    fish, coral, storm, whale = found.phrases
    assert [phrase.documents for phrase in found.phrases] == [3, 3, 2, 1]
    assert fish.weight == pytest.approx(1 / math.log2(3) + 1 + 1 / math.log2(3))
    assert coral.weight == pytest.approx(1 + 1 / math.log2(3) + 1 / math.log2(4))
    assert (storm.weight, whale.weight) == (pytest.approx(0.5 + 1), pytest.approx(1))
    assert coral.variants == (("Coral reef", 2), ("coral reefs", 1), ("coral-reef", 1))
    assert coral.occurrences == 4
    assert [(example.id, example.rank, example.spans) for example in coral.examples] == [
        ("a", 1, ((0, 11), (20, 31))),
        ("b", 2, ((0, 4),)),
        ("c", 3, ((5, 15),)),
    ]


def test_what_stands_together(write):
    fish, coral, storm, whale = build_overview(write(ROWS)).phrases
    # Dice: fish and coral 2 · 3 / 6, fish and storm 2 · 2 / 5, coral and storm the same.
    assert fish.cooccurring == (("Coral reef", 3), ("storm", 2))
    assert coral.cooccurring == (("fish", 3), ("storm", 2))
    assert storm.cooccurring == (("Coral reef", 2), ("fish", 2))
    assert whale.cooccurring == ()


def test_documents_among_the_examples_come_with_all_their_phrases(write):
    found = build_overview(write(ROWS), top_k=1, examples=2)
    assert [(each.number, each.id) for each in found.featured] == [(0, "a"), (1, "b")]
    assert found.featured[0].phrases == ("coral reefs", "fish", "storm")
    assert [example.id for example in found.phrases[0].examples] == ["b", "a"]


def test_order_and_limits(write):
    output = write(ROWS)
    by_documents = build_overview(output, sort="documents", min_documents=2)
    assert [phrase.text for phrase in by_documents.phrases] == ["fish", "Coral reef", "storm"]
    assert by_documents.distinct == 4
    assert [phrase.text for phrase in build_overview(output, top_k=2).phrases] == ["fish", "Coral reef"]
    assert build_overview(output, examples=0).phrases[0].examples == ()


def test_keyness(write):
    there = write([row(number, "fish", "harbour") for number in range(10)], "there.jsonl")
    found = build_overview(write(ROWS), there)
    assert (found.sort, found.against_documents) == ("keyness", 10)
    assert [phrase.text for phrase in found.phrases] == ["Coral reef", "storm", "whale", "fish"]
    coral, fish = found.phrases[0].keyness, found.phrases[-1].keyness
    assert coral.documents == 0
    assert coral.ratio == pytest.approx((3.5 / 5) / (0.5 / 11))
    assert coral.log_likelihood > 0 > fish.log_likelihood
    assert fish.documents == 10
    with pytest.raises(OptionError, match="--against"):
        build_overview(write(ROWS), sort="keyness")


def likelihood(successes, trials, share):
    """The logarithm of a binomial's likelihood, but for its constant."""
    if share in (0, 1):
        return 0.0
    return successes * math.log(share) + (trials - successes) * math.log(1 - share)


@given(st.integers(1, 200), st.integers(0, 200), st.data())
def test_the_log_likelihood_ratio_is_twice_the_logarithm_of_a_ratio_of_likelihoods(of_here, of_there, data):
    here, there = data.draw(st.integers(0, of_here)), data.draw(st.integers(0, of_there))
    together = (here + there) / (of_here + of_there)
    apart = here / of_here, there / max(1, of_there)
    expected = 2 * (
        likelihood(here, of_here, apart[0])
        + likelihood(there, of_there, apart[1])
        - likelihood(here, of_here, together)
        - likelihood(there, of_there, together)
    )
    found = compute_keyness(here, of_here, there, of_there)
    assert abs(found.log_likelihood) == pytest.approx(expected, abs=1e-6)
    if expected > 1e-6:
        assert (found.log_likelihood > 0) == (apart[0] > apart[1])


def test_the_keys_of_rows_are_those_of_their_keyphrases():
    keyed = {**keyphrase("MRI"), "key": "magnetic resonance imaging"}
    assert [each.key for each in mentions(row("a", keyed, "Universities"))] == [
        "magnetic resonance imaging",
        "university",
    ]
    assert [each.key for each in mentions(row("a", keyed, "Universities"), "de")] == ["mri", "universiti"]


def test_a_row_without_keys_has_those_of_its_language():
    german = {**row("a", "Häuser", "Häusern"), "language": {"code": "de"}}
    assert [each.key for each in mentions(german)] == ["haus"]
    assert [each.key for each in mentions(row("a", "Häuser", "Häusern"))] == ["häuser", "häusern"]


def test_variants_in_one_document_count_once():
    found = mentions(row("a", "reef", "fish", keyphrase("Reefs", (9, 14), (0, 4))), "en")
    assert [(each.key, each.rank, each.spans, each.forms) for each in found] == [
        ("reef", 1, ((0, 4), (9, 14)), ("reef", "Reefs")),
        ("fish", 2, ((0, 4),), ("fish",)),
    ]


def test_weights():
    assert [rank_weight(rank) for rank in (1, 3, 7)] == [1, 0.5, pytest.approx(1 / 3)]


def random_rows(seed, count=120):
    rng = random.Random(seed)
    words = [f"{kind} {number}" for kind in ("reef", "Reefs", "storm", "fish") for number in range(12)]
    return [row(number, *rng.sample(words, rng.randint(0, 6))) for number in range(count)]


@pytest.mark.parametrize("limit", [1, 2, 7, 30])
def test_memory_is_bounded_and_makes_no_difference(write, limit):
    output, there = write(random_rows(1)), write(random_rows(2), "there.jsonl")
    largest = 0

    class Watched(Counts):
        def add(self, each):
            nonlocal largest
            super().add(each)
            largest = max(largest, len(self._table))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mderank.collection.overview.Counts", Watched)
        bounded = build_overview(output, there, limit=limit, top_k=100)
    assert largest < limit + 6
    assert bounded.as_dict() == build_overview(output, there, top_k=100).as_dict()


def test_a_batch_s_folder_and_files_of_other_forms(tmp_path, write):
    from mderank.batch.output_folder import OutputFolder

    expected = build_overview(write(ROWS)).as_dict()["phrases"]
    for form in ("jsonl", "jsonl.gz", "parquet"):
        if form == "parquet":
            pytest.importorskip("pyarrow")
        with OutputFolder(tmp_path / form, form) as folder:
            folder.check_settings(output=form, extractor={"tagger": "de_core_news_sm 3.8"})
            for number, each in enumerate(ROWS):
                folder.write(
                    number, [{**each, "keyphrases": [{**one, "raw_score": 0.5} for one in each["keyphrases"]]}]
                )
        output = open_output(tmp_path / form)
        assert len(output.files) == 5
        assert not output.whole
        assert build_overview(output, language="en").as_dict()["phrases"] == expected
        assert build_overview(open_output(output.files[1]), language="en").phrases[0].text == "fish"


def test_what_is_no_output(tmp_path, write):
    for name, text, message in (
        ("a.txt", "x", "its suffix is none of jsonl"),
        ("b.jsonl", '{"id": 1}\n', "is not an output of mderank"),
        ("c.jsonl", "{oops\n", "this shard is damaged"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=message):
            build_overview(open_output(tmp_path / name))
    with pytest.raises(InputError, match="is not a `mderank batch` output folder"):
        open_output(tmp_path)


def test_settings_that_differ_are_named(tmp_path, write):
    from mderank.batch.output_folder import OutputFolder

    outputs = []
    for method in ("mderank", "yake"):
        with OutputFolder(tmp_path / method, "jsonl") as folder:
            folder.check_settings(output="jsonl", settings={"method": method, "top_k": 10, "reading": method})
        outputs.append(open_output(tmp_path / method))
    assert outputs[0].differences(outputs[1]) == ["method: 'mderank' and 'yake'"]
    assert outputs[0].differences(outputs[0]) == []
    assert outputs[0].differences(write(ROWS)) == []


def test_an_empty_collection(write):
    found = build_overview(write([]), write(ROWS, "there.jsonl"))
    assert (found.documents, found.phrases) == (0, ())


def labelled(text, concept, label, *spans):
    return {**keyphrase(text, *spans), "concept": {"id": concept, "label": label}}


def test_labels_of_a_concept_count_together_and_apart_from_other_phrases(write):
    rows = [
        row("a", labelled("mareograph", "t2", "tide gauge"), "tide gauge"),
        row("b", labelled("Pegel", "t2", "Pegel"), labelled("surge", "t3", "storm surge")),
        row("c", labelled("mareographs", "t2", "tide gauge"), labelled("gauge", "t2", "tide gauge", (9, 14))),
    ]
    found = build_overview(write(rows), limit=1)  # by temporary files too
    surge, gauge, plain = sorted(found.phrases, key=lambda phrase: (phrase.text, phrase.concept is None))
    assert found.distinct == 3
    assert (plain.text, plain.concept, plain.documents) == ("tide gauge", None, 1)
    assert (surge.concept, surge.variants) == ("t3", (("surge", 1),))
    assert (gauge.text, gauge.concept, gauge.documents, gauge.occurrences) == ("tide gauge", "t2", 3, 4)
    assert [text for text, _ in gauge.variants] == ["Pegel", "gauge", "mareograph", "mareographs"]
    assert next(each for each in found.as_dict()["phrases"] if each["documents"] == 3)["concept"] == "t2"


def test_confidences_are_averaged_over_documents(write):
    rows = [row("a", {**keyphrase("reef"), "confidence": 0.9}), row("b", {**keyphrase("reefs"), "confidence": 0.5})]
    rows += [row("c", keyphrase("reef"), keyphrase("fish"))]
    found = {each.text: each.confidence for each in build_overview(write(rows), limit=1).phrases}
    assert found == {"reef": pytest.approx(0.7), "fish": None}


def test_another_value_to_sort_by(write):
    found = build_overview(write(ROWS), worth=lambda count: None if count.text == "fish" else float(len(count.text)))
    assert [each.text for each in found.phrases][-2:] == ["storm", "whale"]
    assert "fish" not in {each.text for each in found.phrases}
