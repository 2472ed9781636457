"""SKOS by rdflib: its formats, and files that mean harm."""

import json
import socket
import sys

import pytest

from mderank import InputError, MissingExtraError, load_vocabulary
from mderank.vocabularies import read_vocabulary

pytest.importorskip("rdflib", reason="needs rdflib (extra skos)")

SKOS = "http://www.w3.org/2004/02/skos/core#"
TURTLE = f"@prefix skos: <{SKOS}> .\n"
XML = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    f'xmlns:skos="{SKOS}" xmlns:owl="http://www.w3.org/2002/07/owl#">\n'
)
CONCEPT = '<skos:Concept rdf:about="http://x/1"><skos:prefLabel xml:lang="en">tide</skos:prefLabel></skos:Concept>'


@pytest.fixture
def read(tmp_path):
    def read(name, text):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_vocabulary(file)

    return read


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("a vocabulary must not reach the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def labels(found):
    return {
        each.id: (dict(each.preferred), dict(each.alternative), dict(each.hidden)) for each in found.vocabulary.concepts
    }


TIDE = {"http://x/1": ({"en": "tide", "de": "Tide"}, {"en": ("flux",)}, {"": ("tyde",)})}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v.ttl", TURTLE + '<http://x/1> a skos:Concept; skos:prefLabel "tide"@en, "Tide"@de; skos:altLabel "flux"@en; '
                           'skos:hiddenLabel "tyde"; skos:broader <http://x/2>; skos:definition "of water"@en .'),
        ("v.nt", f'<http://x/1> <{SKOS}prefLabel> "tide"@en .\n<http://x/1> <{SKOS}prefLabel> "Tide"@de .\n'
                 f'<http://x/1> <{SKOS}altLabel> "flux"@en .\n<http://x/1> <{SKOS}hiddenLabel> "tyde" .\n'),
        ("v.rdf", XML + '<skos:Concept rdf:about="http://x/1"><skos:prefLabel xml:lang="en">tide</skos:prefLabel>'
                        '<skos:prefLabel xml:lang="de">Tide</skos:prefLabel><skos:altLabel xml:lang="en">flux'
                        "</skos:altLabel><skos:hiddenLabel>tyde</skos:hiddenLabel></skos:Concept></rdf:RDF>"),
        ("v.jsonld", json.dumps({"@context": {"skos": SKOS}, "@id": "http://x/1", "@type": "skos:Concept",
                                 "skos:prefLabel": [{"@value": "tide", "@language": "en"},
                                                    {"@value": "Tide", "@language": "de"}],
                                 "skos:altLabel": {"@value": "flux", "@language": "en"}, "skos:hiddenLabel": "tyde"})),
    ],
)  # fmt: skip
def test_the_same_concept_in_every_format(read, name, text):
    assert labels(read(name, text)) == TIDE


def test_schemes_and_collections_are_no_concepts(read):
    text = 'skos:prefLabel "Tides" .'
    found = read("v.ttl", TURTLE + f"<s> a skos:ConceptScheme ; {text} <c> a skos:Collection ; {text} <t> {text}")
    assert list(labels(found)) == ["t"]


def test_concepts_that_are_deprecated_or_have_no_label_are_counted(read):
    text = (
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n<a> a skos:Concept . <b> a skos:Concept ; "
        'owl:deprecated true ; skos:prefLabel "mill" . <c> a skos:Concept ; owl:deprecated false ; '
        'skos:prefLabel "tide" .'
    )
    found = read("v.ttl", TURTLE + text)
    assert (list(labels(found)), found.deprecated, found.without_label) == (["c"], 1, 1)


def test_labels_that_are_resources(read):
    text = TURTLE + (
        "@prefix skosxl: <http://www.w3.org/2008/05/skos-xl#> .\n<t> skosxl:prefLabel [ skosxl:literalForm "
        '"tide"@en-GB ] ; skosxl:altLabel <l> .\n<l> skosxl:literalForm "flux"@en .'
    )
    assert labels(read("v.ttl", text)) == {"t": ({"en-gb": "tide"}, {"en": ("flux",)}, {})}


def test_a_concept_without_address_has_the_same_id_each_time(read):
    text = TURTLE + '[] a skos:Concept ; skos:prefLabel "tide" ; skos:altLabel "flux" .'
    assert list(labels(read("v.ttl", text))) == list(labels(read("v.ttl", text))) == ["_:tide"]


def test_relative_addresses_stay_relative(read):
    assert list(labels(read("v.rdf", XML + CONCEPT.replace("http://x/1", "#t") + "</rdf:RDF>"))) == ["#t"]


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "ha"><!ENTITY b "&a;&a;">',
        '<!ENTITY a SYSTEM "file:///etc/passwd">',
        f'<!ENTITY a "http://x/{"a" * 300}">',
        '<!ENTITY z "http://x/"><!ENTITY a "http://x/&z;&z;">',
        '<!ENTITY % a "http://x/">',
        '<!ENTITY % a SYSTEM "http://localhost/a.dtd"> %a;',
    ],
)
def test_entities_are_refused_before_anything_is_parsed(read, declared):
    with pytest.raises(InputError, match=r"v\.rdf: declares the entity 'a', by which XML can multiply itself"):
        read("v.rdf", f"<!DOCTYPE r [{declared}]>{XML}{CONCEPT}</rdf:RDF>")


def test_entities_for_namespaces_are_read(read):
    declared = f'<!ENTITY skos "{SKOS}"><!ENTITY x "http://x/">'
    text = f"<!DOCTYPE rdf:RDF [{declared}]>{XML}{CONCEPT}</rdf:RDF>"
    text = text.replace("http://x/1", "&x;1").replace(f'xmlns:skos="{SKOS}"', 'xmlns:skos="&skos;"')
    assert labels(read("v.owl", text)) == {"http://x/1": ({"en": "tide"}, {}, {})}


def test_an_external_document_type_is_not_fetched(read):
    text = f'<!DOCTYPE r SYSTEM "http://localhost/r.dtd">{XML}{CONCEPT}</rdf:RDF>'
    assert list(labels(read("v.rdf", text))) == ["http://x/1"]


@pytest.mark.parametrize(
    "context",
    [
        "http://localhost/c",
        ["http://localhost/c"],
        {"@import": "http://localhost/c"},
        {"t": {"@id": "x:t", "@context": "c"}},
    ],
)
def test_contexts_elsewhere_are_not_fetched(read, context):
    with pytest.raises(
        InputError, match=r"names the context '.*', which is not fetched: write the context into the file"
    ):
        read("v.jsonld", json.dumps({"@context": context, "@graph": []}))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("v.ttl", TURTLE + '<t> skos:prefLabel "tide ;\n', "cannot be read as Turtle: line 2: "),
        (
            "v.ttl",
            TURTLE + '<a> skos:prefLabel "é"\n<b> "c" .\n',
            "Turtle: line 3: expected '.' or '}' or ']' at end of statement, before '<b> \"c\" .'$",
        ),
        ("v.ttl", TURTLE + "<a> skos:prefLabel", "cannot be read as Turtle: the file ends within a statement$"),
        ("v.ttl", "(" * 100_000, "cannot be read as Turtle: it is nested too deeply"),
        ("v.ttl", TURTLE, "has no concept with a label: its concepts need skos:prefLabel"),
        ("v.rdf", XML + "<skos:Concept></rdf:RDF>", "cannot be read as RDF/XML: line 2: mismatched tag"),
        ("v.rdf", XML + '<skos:C rdf:about="a" rdf:ID="b"/></rdf:RDF>', "cannot be read as RDF/XML: line 2: Can have"),
        ("v.rdf", f'<?xml version="1.0" encoding="uts-8"?>{XML}', "unknown encoding: uts-8: save the file as UTF-8$"),
        (
            "v.rdf",
            f'<?xml version="1.0" encoding="big5"?>{XML}',
            "as RDF/XML: .*: save the file as UTF-8$",
        ),
        ("v.rdf", b"\x00\x01", "cannot be read as RDF/XML: line 1: "),
        ("v.jsonld", "{", "cannot be read as JSON-LD: "),
        ("v.jsonld", "[" * 100_000, "cannot be read as JSON-LD: it is nested too deeply"),
    ],
)
def test_damaged_files(read, name, text, message):
    with pytest.raises(InputError, match=message):
        read(name, text)


LONG = "a\\n" * 40_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v.ttl", f'{TURTLE}\n<t> skos:prefLabel "{LONG}" .'),
        ("v.ttl", f'{TURTLE}\n<t> skos:prefLabel """{LONG}""" .'),
        ("v.ttl", f"{TURTLE}\n<t> skos:prefLabel '''{LONG}"),
        ("v.ttl", f'{TURTLE}\n<{"../" * 40_000}> skos:prefLabel "t" .'),
        ("v.rdf", f"{XML}\n<skos:C><skos:prefLabel>{LONG}</skos:prefLabel></skos:C></rdf:RDF>"),
        ("v.rdf", f'{XML}\n<skos:C rdf:about="{LONG}"/></rdf:RDF>'),
        ("v.jsonld", json.dumps({"@context": {}, "@id": LONG})),
    ],
)
def test_texts_are_limited_since_parsers_take_quadratic_time(read, name, text):
    with pytest.raises(InputError, match=r"(line 3|'a.*'…): a text has more than 100,000 bytes: leave it out"):
        read(name, text)


def test_xml_literals_are_limited_too(read):
    def concept(elements):
        literal = f'<skos:definition rdf:parseType="Literal">{"<b>x</b>" * elements}</skos:definition>'
        return f"{XML}{CONCEPT.replace('</skos:Concept>', literal * 2 + '</skos:Concept>')}</rdf:RDF>"

    assert list(labels(read("v.rdf", concept(900)))) == ["http://x/1"]
    with pytest.raises(InputError, match="an XML literal has more than 1,000 elements: leave it out"):
        read("v.rdf", concept(1_001))


def test_long_texts_that_are_quoted_in_quotes_are_not_one_text(read):
    text = TURTLE + "".join(f'<t{n}> skos:prefLabel "it\'s a \\"tide\\" {n}" . # it\'s\n' for n in range(4_000))
    assert len(read("v.ttl", text).vocabulary) == 4_000


def test_the_extra_is_named_where_it_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdflib", None)
    (tmp_path / "v.ttl").write_text(TURTLE)
    with pytest.raises(MissingExtraError, match=r"reading SKOS needs the extra 'skos': pip install 'mderank\[skos\]'"):
        load_vocabulary(tmp_path / "v.ttl")
