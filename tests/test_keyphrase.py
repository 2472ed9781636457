"""Keyphrases, and what they are turned into."""

from __future__ import annotations

import copy
import json
import sys
from dataclasses import replace

import pytest

from mderank import ConceptLabel, InputError, Keyphrase, Keyphrases, LanguageInfo, MDERankError, Span


def keyphrase(text, score=1.0):
    return Keyphrase(text, score, score / 2, (Span(0, len(text)),), (text,), confidence=0.5)


FOUND = Keyphrases([keyphrase("coral reef", 2.0), keyphrase("fish")], language=LanguageInfo("en", 0.9, "tagger"))


def test_texts_and_pairs():
    assert FOUND.texts == ["coral reef", "fish"]
    assert FOUND.pairs() == [("coral reef", 2.0), ("fish", 1.0)]


def test_plain_data_and_json():
    data = FOUND.to_dict()
    assert [each["text"] for each in data["keyphrases"]] == FOUND.texts
    assert data["language"]["code"] == "en"
    assert [each["key"] for each in data["keyphrases"]] == ["coral reef", "fish"]
    assert json.loads(FOUND.to_json()) == data
    assert FOUND.to_json(indent=2).startswith('{\n  "keyphrases"')
    assert Keyphrases(error=InputError("no text")).to_dict()["error"] == "no text"


def test_json_of_what_utf_8_cannot_encode():
    assert json.loads(Keyphrases([keyphrase("a\ud800")]).to_json().encode())["keyphrases"]


def test_a_data_frame():
    pytest.importorskip("pandas")
    frame = FOUND.to_frame()
    assert list(frame.columns) == ["text", "key", "score", "raw_score", "confidence", "count", "spans"]
    assert frame["text"].tolist() == FOUND.texts
    assert frame["key"].tolist() == ["coral reef", "fish"]
    assert len(Keyphrases().to_frame()) == 0
    reef = replace(FOUND[0], concept=ConceptLabel("t1", "reef"))
    frame = Keyphrases([reef, FOUND[1]]).to_frame()
    assert list(frame.columns[-2:]) == ["concept_id", "concept_label"]
    assert frame.loc[0, ["concept_id", "concept_label"]].tolist() == ["t1", "reef"]
    assert frame.loc[1, ["concept_id", "concept_label"]].isna().all()  # None, and from pandas 3 on NaN


def test_data_frames_of_several_texts_are_put_together():
    pandas = pytest.importorskip("pandas")
    unknown = Keyphrases([replace(FOUND[0], confidence=None)])
    for frames in ([Keyphrases(), FOUND, unknown], [Keyphrases()], [unknown]):
        together = pandas.concat([each.to_frame() for each in frames])
        kinds = {name: together[name].dtype.kind for name in ("score", "raw_score", "confidence", "count")}
        assert kinds == {"score": "f", "raw_score": "f", "confidence": "f", "count": "i"}
    assert pandas.isna(unknown.to_frame()["confidence"][0])


@pytest.mark.parametrize("part", [lambda each: each[:1], lambda each: each[::-1], lambda each: each.copy(), copy.copy])
def test_a_part_or_copy_keeps_what_is_known_of_the_text(part):
    whole = Keyphrases(
        FOUND, truncated=Span(9, 12), missing_phrases=("tide",), language=FOUND.language, document_text="coral reef"
    )
    some = part(whole)
    assert type(some) is Keyphrases
    assert list(some) == part(list(FOUND))
    assert vars(some) == vars(whole)
    some.append(FOUND[0])
    some.document_text = None
    assert (len(whole), whole.document_text) == (2, "coral reef")


def test_one_keyphrase_by_its_place():
    assert (FOUND[0].text, FOUND[-1].text) == ("coral reef", "fish")
    with pytest.raises(IndexError):
        FOUND[2]


def test_a_data_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MDERankError, match="pip install pandas"):
        FOUND.to_frame()


def test_repr_is_short():
    assert repr(FOUND) == "<2 Keyphrases: 'coral reef', 'fish'>"
    assert repr(Keyphrases([keyphrase(str(number)) for number in range(9)])).endswith("'4', …>")
    assert repr(Keyphrases()) == "<no Keyphrases>"
    assert "no text" in repr(Keyphrases(error=InputError("no text")))
