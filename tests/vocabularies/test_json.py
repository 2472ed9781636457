import pytest

from mderank import Concept, InputError, Vocabulary, load_vocabulary
from mderank.vocabularies.collector import Collector
from mderank.vocabularies.json import read_json, read_json_lines, vocabulary_json


def read(text, reader=read_json):
    collector = Collector("file")
    reader(text, collector)
    found = collector.finish("variant", False)
    return {each.id: (each.preferred, each.alternative, each.hidden) for each in found.vocabulary.concepts}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('["tide"]', {"tide": ({"": "tide"}, {}, {})}),
        ('{"tide": ["flux", "ebb"]}', {"tide": ({"": "tide"}, {"": ("flux", "ebb")}, {})}),
        ('{"t1": "tide"}', {"t1": ({"": "tide"}, {}, {})}),
        ('{"t1": {"preferred": "tide"}}', {"t1": ({"": "tide"}, {}, {})}),
        ('[{"id": 7, "label": "tide", "synonyms": "flux", "note": 3}]', {"7": ({"": "tide"}, {"": ("flux",)}, {})}),
        ('[{"label": "tide", "synonyms": null}]', {"tide": ({"": "tide"}, {}, {})}),
        (
            '[{"uri": "u", "prefLabel": {"en": "tide", "de": "Tide"}, "altLabel": ["flux"], "hidden": {"en": ["tyde"]},'
            ' "language": "fr"}]',
            {"u": ({"en": "tide", "de": "Tide"}, {"fr": ("flux",)}, {"en": ("tyde",)})},
        ),
    ],
)
def test_lists_and_mappings(text, expected):
    assert read(text) == expected


def test_deprecated_may_be_a_text():
    text = '[{"label": "tide", "deprecated": "false"}, {"label": "mill", "deprecated": "yes"}]'
    assert list(read(text)) == ["tide"]


def test_fields_that_are_not_used_are_named():
    collector = Collector("file")
    read_json('[{"label": "tide", "synonym": ["flux"]}, {"label": "ebb", "note": 1, "synonym": []}]', collector)
    assert collector.finish("variant", False).unused == ("synonym", "note")


def test_lines():
    assert list(read('{"id": "a", "label": "tide"}\n\n"surge"\n', read_json_lines)) == ["a", "surge"]
    with pytest.raises(InputError, match=r"line 2 is not JSON \("):
        read('"surge"\n{\n', read_json_lines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", r"this file is not JSON \("),
        ("[" * 100_000, "this file is not JSON .it is nested too deeply."),
        ("3", "is neither a list nor a mapping: write"),
        ("[3]", "concept 1 is neither a text nor an object"),
        ('{"t": 3}', "concept 't' is neither a text nor an object"),
        ('[{"id": "a", "name": "tide"}]', "concept 1 has no label; it has name: name its fields id, label, synonyms"),
        ('[{"label": 3}]', "concept 1: label is neither a text nor a list of texts"),
        ('[{"label": "tide", "language": 3}]', "concept 1: language is not a text"),
        ('[{"id": [], "label": "tide"}]', "concept 1 has no id that is a text or a number"),
        ('[{"synonyms": ["tide"]}]', "concept 1 has no id that is a text or a number, and no label to take for it"),
        ('{"tide": ["a"], "tide": ["b"]}', "this file: an object has the name 'tide' several times: join the values"),
        ('[{"label": "tide", "deprecated": "maybe"}]', "concept 1: deprecated is 'maybe': write true or false"),
        ('{"@context": {}, "@graph": []}', "this is JSON-LD: call the file .jsonld"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        read(text)


def test_a_vocabulary_is_written_and_read_again(tmp_path):
    vocabulary = Vocabulary([
        Concept("a", {"en": "tide", "de": "Tide"}, {"": ["flux"]}, {"en": ["tyde"]}), Concept("b", {}, ["ebb"]),
    ])  # fmt: skip
    file = tmp_path / "v.json"
    file.write_text(vocabulary_json(vocabulary), encoding="utf-8")
    assert load_vocabulary(file) == vocabulary
    assert len(file.read_text(encoding="utf-8").splitlines()) == 4
