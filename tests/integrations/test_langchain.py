"""The document transformer for LangChain, in LangChain."""

from __future__ import annotations

import asyncio
import json
import pickle
import sys

import pytest

pytest.importorskip("langchain_core", reason="needs pip install 'mderank[langchain]'")

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

from mderank import InputError, MissingExtraError, OptionError, Options
from mderank.integrations import metadata
from mderank.integrations.langchain import KeyphraseTransformer

SEA = "The tide gauge records the sea level. A storm surge lifts the sea level above the tide gauge."
REEF = "Coral reefs protect the coast. Warm water harms the harbour."


def quick(**settings):
    """Without an encoder."""
    return KeyphraseTransformer("firstphrases", **{"top_k": 2, **settings})


def test_documents_come_out_with_their_keyphrases():
    given = [Document(SEA, metadata={"page": 1}, id="a"), Document(REEF)]
    first, second = KeyphraseTransformer(top_k=2).transform_documents(given)
    assert first.metadata == {"page": 1, "keyphrases": ["sea level", "tide gauge"]}
    assert second.metadata["keyphrases"][0] == "Coral reefs"
    assert (first.id, first.page_content) == ("a", SEA)
    assert [each.metadata for each in given] == [{"page": 1}, {}]


def test_details_and_names_in_metadata():
    (document,) = quick(details=True, metadata_key="tags").transform_documents([Document(REEF)])
    assert [(each["text"], each["spans"]) for each in document.metadata["tags"]] == [
        ("Coral reefs", [[0, 11]]),
        ("coast", [[24, 29]]),
    ]
    json.dumps(document.metadata)
    assert Document.model_validate_json(document.model_dump_json()) == document


def test_documents_without_text_and_other_sequences():
    assert quick().transform_documents([]) == []
    found = quick().transform_documents(iter((Document(""), Document(REEF))))
    assert [each.metadata["keyphrases"] for each in found] == [[], ["Coral reefs", "coast"]]


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
    found = quick(error_key="why").transform_documents([Document(REEF), Document(SEA), Document(REEF)])
    assert [each.metadata["keyphrases"] for each in found] == [["Coral reefs", "coast"], [], ["Coral reefs", "coast"]]
    assert [each.metadata.get("why") for each in found] == [None, "it is too long", None]


def test_in_a_chain_and_a_store():
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    chain = (
        RunnableLambda(lambda texts: [Document(text) for text in texts])
        | RunnableLambda(quick().transform_documents)
        | RunnableLambda(store.add_documents)
    )
    ids = chain.invoke([REEF, SEA])
    assert [each.metadata["keyphrases"] for each in store.get_by_ids(ids)] == [
        ["Coral reefs", "coast"],
        ["tide gauge", "sea level"],
    ]
    about = store.similarity_search("", k=2, filter=lambda each: "sea level" in each.metadata["keyphrases"])
    assert [each.page_content for each in about] == [SEA]


def test_asynchronous_calls():
    async def several():
        transformer = quick()
        chain = RunnableLambda(transformer.transform_documents, afunc=transformer.atransform_documents)
        return await asyncio.gather(
            transformer.atransform_documents([Document(REEF)]), chain.ainvoke([Document(SEA)]), chain.ainvoke([])
        )

    found = asyncio.run(several())
    assert [[each.metadata["keyphrases"] for each in documents] for documents in found] == [
        [["Coral reefs", "coast"]],
        [["tide gauge", "sea level"]],
        [],
    ]


def test_transformers_hold_no_model():
    one = quick(options=Options(exclude=("coast",)))
    one.transform_documents([Document(SEA)])
    pickled = pickle.dumps(one)
    assert len(pickled) < 10_000
    (found,) = pickle.loads(pickled).transform_documents([Document(REEF)])
    assert found.metadata["keyphrases"] == ["Coral reefs", "Warm water"]


def test_what_does_not_fit():
    with pytest.raises(OptionError, match="top_k"):
        KeyphraseTransformer(options={"top_k": 3})
    with pytest.raises(OptionError, match="unknown option"):
        KeyphraseTransformer(options={"tpo_k": 3})
    with pytest.raises(OptionError, match="unknown argument top_k: give options to KeyphraseTransformer itself"):
        quick().transform_documents([Document(SEA)], top_k=3)
    with pytest.raises(InputError, match="it holds str"):
        quick().transform_documents([SEA])
    with pytest.raises(InputError, match="must be a list of langchain_core's Document, not NoneType"):
        quick().transform_documents(None)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_core.documents", None)
    monkeypatch.delitem(sys.modules, "mderank.integrations.langchain")
    with pytest.raises(MissingExtraError, match=r"pip install 'mderank\[langchain\]'"):
        import mderank.integrations.langchain  # noqa: F401
