"""The component for Haystack, in Haystack."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import socket
import sys

import pytest

haystack = pytest.importorskip("haystack", reason="needs pip install 'mderank[haystack]'")

from haystack import Document, Pipeline  # noqa: E402
from haystack.components.joiners import DocumentJoiner  # noqa: E402
from haystack.components.preprocessors import DocumentSplitter  # noqa: E402
from haystack.components.writers import DocumentWriter  # noqa: E402
from haystack.dataclasses import ByteStream  # noqa: E402
from haystack.document_stores.in_memory import InMemoryDocumentStore  # noqa: E402
from haystack.document_stores.types import DuplicatePolicy  # noqa: E402

from mderank import InputError, MissingExtraError, OptionError, Options  # noqa: E402
from mderank.integrations import metadata  # noqa: E402
from mderank.integrations.haystack import KeyphraseExtractor  # noqa: E402

SEA = "The tide gauge records the sea level. A storm surge lifts the sea level above the tide gauge."
REEF = "Coral reefs protect the coast. Warm water harms the harbour."
NEWER = "allowed_modules" in inspect.signature(Pipeline.loads).parameters
ALLOWED = {"allowed_modules": ["mderank.integrations"]} if NEWER else {}


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert haystack.telemetry._telemetry.telemetry is None, "telemetry is on: see tests/conftest.py"


def quick(**settings):
    """Without an encoder."""
    return KeyphraseExtractor("firstphrases", **{"top_k": 2, **settings})


def test_documents_come_out_with_their_keyphrases():
    given = [Document(content=SEA, meta={"page": 1}), Document(content=REEF)]
    (first, second) = KeyphraseExtractor(top_k=2).run(given)["documents"]
    assert first.meta == {"page": 1, "keyphrases": ["sea level", "tide gauge"]}
    assert second.meta["keyphrases"][0] == "Coral reefs"
    assert [first.id, first.content] == [given[0].id, SEA]
    assert [each.meta for each in given] == [{"page": 1}, {}]


def test_details_and_names_in_meta():
    (document,) = quick(details=True, meta_key="tags").run([Document(content=REEF)])["documents"]
    assert [(each["text"], each["spans"]) for each in document.meta["tags"]] == [
        ("Coral reefs", [[0, 11]]),
        ("coast", [[24, 29]]),
    ]
    json.dumps(document.to_dict())


def test_documents_without_text_pass():
    image = Document(blob=ByteStream(b"\x89PNG", mime_type="image/png"), meta={"file": "a.png"})
    found = quick().run([image, Document(content=""), Document(content=REEF)])["documents"]
    assert [each.meta["keyphrases"] for each in found] == [[], [], ["Coral reefs", "coast"]]
    assert found[0].blob == image.blob
    assert quick().run([]) == {"documents": []}


def test_an_error_does_not_lose_the_other_documents(monkeypatch):
    shared = metadata.shared_extractor

    class Failing:
        def __init__(self, options):
            self.extractor = shared(options)

        def extract_many(self, texts, top_k):
            for found in self.extractor.extract_many(texts, top_k):
                if "tide gauge" in found.texts:
                    found[:], found.error = [], InputError("it is too long")
                yield found

    monkeypatch.setattr(metadata, "shared_extractor", Failing)
    found = quick().run([Document(content=REEF), Document(content=SEA), Document(content=REEF)])["documents"]
    assert [each.meta["keyphrases"] for each in found] == [["Coral reefs", "coast"], [], ["Coral reefs", "coast"]]
    assert [each.meta.get("keyphrases_error") for each in found] == [None, "it is too long", None]
    monkeypatch.undo()
    (again,) = quick().run([found[1]])["documents"]
    assert again.meta == {"keyphrases": ["tide gauge", "sea level"]}


def pipeline(**settings):
    """Splitter, keyphrases, store."""
    store = InMemoryDocumentStore()
    made = Pipeline()
    made.add_component("splitter", DocumentSplitter(split_by="period", split_length=1))
    made.add_component("keyphrases", quick(**settings))
    made.add_component("writer", DocumentWriter(store, DuplicatePolicy.OVERWRITE))
    made.connect("splitter", "keyphrases")
    made.connect("keyphrases", "writer")
    return made, store


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Haystack's own components
def test_in_a_pipeline_and_after_yaml():
    made, store = pipeline(language="en", options={"exclude": ["harbour"], "overlap": "none"}, details=False)
    written = made.dumps()
    assert "mderank.integrations.haystack.KeyphraseExtractor" in written
    made.run({"splitter": {"documents": [Document(content=REEF)]}})
    first = sorted(each.meta["keyphrases"] for each in store.filter_documents())
    assert first == [["Coral reefs", "coast"], ["Warm water"]]

    again = Pipeline.loads(written, **ALLOWED)
    assert again.to_dict()["components"] == made.to_dict()["components"]
    result = again.run({"splitter": {"documents": [Document(content=REEF)]}}, include_outputs_from={"keyphrases"})
    assert sorted(each.meta["keyphrases"] for each in result["keyphrases"]["documents"]) == first


@pytest.mark.skipif(not NEWER, reason="this Haystack imports any module")
def test_yaml_of_others_needs_leave():
    with pytest.raises(Exception, match="mderank"):
        Pipeline.loads(pipeline()[0].dumps())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_in_an_asynchronous_pipeline():
    kind = Pipeline if hasattr(Pipeline, "run_async") else haystack.AsyncPipeline
    made = kind()
    for name, top_k in (("one", 1), ("two", 2)):
        made.add_component(name, quick(top_k=top_k, meta_key=name))
    made.add_component("joiner", DocumentJoiner())
    made.connect("one", "joiner")
    made.connect("two", "joiner")
    given = {name: {"documents": [Document(content=text)]} for name, text in (("one", REEF), ("two", SEA))}
    found = asyncio.run(made.run_async(given))["joiner"]["documents"]
    assert sorted(map(str, (each.meta for each in found))) == [
        "{'one': ['Coral reefs']}",
        "{'two': ['tide gauge', 'sea level']}",
    ]


def test_the_settings_as_plain_data():
    settings = {
        "method": "yake",
        "top_k": 3,
        "language": "de",
        "options": {"ngrams": "1-2", "params": {"window": 2}},
        "details": True,
        "meta_key": "a",
        "error_key": "b",
    }
    data = KeyphraseExtractor(**settings).to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["init_parameters"] == settings
    assert KeyphraseExtractor.from_dict(data).to_dict() == data
    of_options = KeyphraseExtractor("yake", options=Options(ngrams="1-2"))
    assert of_options.to_dict()["init_parameters"]["options"] == {"ngrams": "1-2"}


def test_components_hold_no_model():
    one = quick()
    one.warm_up()
    other = copy.deepcopy(one)
    assert other.to_dict() == one.to_dict()
    assert other._writer.load() is one._writer.load()


def test_what_does_not_fit():
    with pytest.raises(OptionError, match="top_k"):
        KeyphraseExtractor(options={"top_k": 3})
    with pytest.raises(OptionError, match="unknown option"):
        KeyphraseExtractor(options={"tpo_k": 3})
    with pytest.raises(OptionError, match="firstphrases"):
        quick(options={"layer": 3}).warm_up()
    for wrong in (SEA, [SEA], Document(content=SEA), None):
        with pytest.raises(InputError, match=r"documents must be a list of haystack\.Document, not "):
            quick().run(wrong)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "haystack", None)
    monkeypatch.delitem(sys.modules, "mderank.integrations.haystack")
    with pytest.raises(MissingExtraError, match=r"pip install 'mderank\[haystack\]'"):
        import mderank.integrations.haystack  # noqa: F401
