"""Each distribution's shape, in small."""

from __future__ import annotations

import json

import pytest

from mderank.errors import InputError, OptionError


def test_inspec(folder, imported):
    source = folder(
        {
            "20.abstr": "Coral and\n\tits reefs\nReefs protect\n\tthe coast. Fish\n\tlive there\n",
            "20.uncontr": "coral reefs; the\n\tcoast; ; Fish\n",
            "20.contr": "marine biology\n",
            "3.abstr": "Tides\nThe moon.\n",
        }
    )
    assert imported(source, "inspec") == [
        {"id": "3", "title": "Tides", "text": "The moon.", "keyphrases": []},
        {
            "id": "20",
            "title": "Coral and its reefs",
            "text": "Reefs protect the coast. Fish live there",
            "keyphrases": ["coral reefs", "the coast", "Fish"],
        },
    ]


ARTICLE = """
<DOC>
<DOCNO> AP1 </DOCNO>
<HEAD>Reefs &amp; Tides</HEAD>
<HEAD>Eds: UPDATES</HEAD>
<TEXT>
   The reef ``grew''
fast. It is
old.
   A new paragraph.

And another.
</TEXT>
<TEXT>
   A second story.
</TEXT>
</DOC>
"""


def test_duc2001(folder, imported):
    source = folder(
        {
            "AP2": "<HEADLINE>\n<P>\nOne; \n</P>\n<P>\ntwo \n</P>\n</HEADLINE>\n"
            "<TEXT>\n<P>First.\n</P><P>\nLast.</P></TEXT>",
            "AP10": "<HL> Wall\n   Street </HL><TEXT>Text.</TEXT>",
            "AP1": ARTICLE,
            "FBIS3": "<TEXT>No headline.</TEXT>",
            "README": "no article",
            "annotations.txt": "AP1@coral reef;;tides;\nAP2@one;\n\nAP99@nobody;\n",
        }
    )
    assert imported(source, "duc2001") == [
        {
            "id": "AP1",
            "title": "Reefs & Tides",
            "text": 'The reef "grew" fast. It is old.\nA new paragraph.\nAnd another.',
            "keyphrases": ["coral reef", "tides"],
        },
        {"id": "AP2", "title": "One; two", "text": "First.\nLast.", "keyphrases": ["one"]},
        {"id": "AP10", "title": "Wall Street", "text": "Text.", "keyphrases": []},
        {"id": "FBIS3", "title": "", "text": "No headline.", "keyphrases": []},
    ]


def test_a_bad_annotation_is_named_by_its_line(folder, imported):
    source = folder({"annotations.txt": "AP1@reef;\nAP2 tides;\n", "AP1": ARTICLE})
    with pytest.raises(InputError, match=r"annotations\.txt:2: this line is not of the form id@phrase;phrase;"):
        imported(source, "duc2001")


def test_nus(folder, imported):
    source = folder(
        {
            "10/10.txt": "On Reefs\nABSTRACT\nReefs are\nold.\nCategories and Subject Descriptors\nH.3 [Seas]:\nReefs\n"
            "\nGeneral Terms\nTheory\n\n1. INTRODUCTION AND AIM\nThe tide\n&lt; 3.\n",
            "10/10.kwd": "Reefs\nTide tables\n",
            "10/KEY/9.key": "reefs\nReefs",
            "10/KEY/10.key": "tides\n\n",
            "10/10.term": "ignored",
            "2/2.txt": b"Caf\xe9\nNo labels.",
            "README.txt": "ignored",
        }
    )
    assert imported(source, "nus") == [
        {"id": "2", "title": "Café", "text": "No labels.", "keyphrases": []},
        {
            "id": "10",
            "title": "On Reefs",
            "text": "Reefs are old.\nCategories and Subject Descriptors\nH.3 [Seas]: Reefs\nGeneral Terms\nTheory\n"
            "1. INTRODUCTION AND AIM\nThe tide < 3.",
            "keyphrases": ["Reefs", "Tide tables", "tides", "reefs"],
        },
    ]


DOCS_KEYS = {
    "Set/docsutf8/C-10.txt": "Reefs\nare old.\n\nNew paragraph.",
    "Set/docsutf8/C-9.txt": "Tides.",
    "Set/keys/C-10.key": "coral reef\n\n tide  table \n",
    "Set/keys/C-9.key": "tides\t3\n",
    "Set/README.txt": "not a text",
}


@pytest.mark.parametrize("packed", [False, True])
def test_docs_keys(folder, archive, imported, packed):
    source = archive(DOCS_KEYS) if packed else folder(DOCS_KEYS)
    assert imported(source, "docs-keys") == [
        {"id": "C-9", "title": "", "text": "Tides.", "keyphrases": ["tides"]},
        {
            "id": "C-10",
            "title": "",
            "text": "Reefs are old.\nNew paragraph.",
            "keyphrases": ["coral reef", "tide table"],
        },
    ]


def test_krapivin_comes_in_string_order(folder, imported):
    text = "--T\nOn Reefs\n--A\nReefs\nare old.\n--B\nIntroduction\n\nTides.\n--R\nA book.\n"
    source = folder({"1005.txt": text, "1005.key": "reefs\n", "999.txt": "--T\nTides\n--A\nNew.\n", "999.key": "tides"})
    assert imported(source, "krapivin") == [
        {
            "id": "1005",
            "title": "On Reefs",
            "text": "Reefs are old.\nIntroduction\nTides.\nA book.",
            "keyphrases": ["reefs"],
        },
        {"id": "999", "title": "Tides", "text": "New.", "keyphrases": ["tides"]},
    ]
    assert [document["id"] for document in imported(source, "krapivin", first=1)] == ["1005"]


def test_krapivin_without_marks(folder, imported):
    with pytest.raises(InputError, match=r"1\.txt: there is no line --T, --A or --B"):
        imported(folder({"1.txt": "Reefs.", "1.key": "reefs"}), "krapivin")


def sentence(*tokens: tuple[str, int], section: str | None = None) -> str:
    """CoreNLP's XML for words and where they begin."""
    inside = "".join(
        f"<token id='1'><word>{word}</word><lemma>x</lemma><CharacterOffsetBegin>{start}</CharacterOffsetBegin>"
        f"<CharacterOffsetEnd>{start + length(word)}</CharacterOffsetEnd><POS>NN</POS></token>"
        for word, start in tokens
    )
    return f"<sentence id='1'{f' section={section!r}' if section else ''}><tokens>{inside}</tokens></sentence>"


def length(word: str) -> int:
    return 1 if word in ("-LRB-", "-RRB-") else len(word)


def document(*sentences: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<?xml-stylesheet href="CoreNLP-to-HTML.xsl" type="text/xsl"?>\n'
        f"<root><document><sentences>{''.join(sentences)}</sentences></document></root>"
    )


REFS = json.dumps({"10": [["coral reef"], ["tide table", "table of tides"]], "9": []})
TEXT = document(
    sentence(("Reefs", 0), ("-LRB-", 6), ("old", 7), ("-RRB-", 10), (".", 11)), sentence(("Tides", 13), (".", 18))
)
MARKED = document(
    sentence(("On", 0), ("reefs", 3), section="title"),
    sentence(("Old", 9), section="abstract"),
    sentence(("New", 13), section="body"),
)


def test_ake(folder, imported):
    source = folder(
        {
            "test/10.xml": TEXT,
            "test/9.xml": MARKED,
            "train/1.xml": TEXT,
            "references/test.author.json": REFS,
            "references/test.author.stem.json": "{}",
        }
    )
    assert imported(source, "ake") == [
        {"id": "9", "title": "On reefs", "text": "Old\nNew", "keyphrases": []},
        {"id": "10", "title": "", "text": "Reefs (old). Tides.", "keyphrases": ["coral reef", "tide table"]},
    ]


def test_ake_wants_to_be_told_which_references(folder, imported):
    source = folder(
        {"test/10.xml": TEXT, "references/test.author.json": REFS, "references/test.reader.json": '{"10": [["tide"]]}'}
    )
    with pytest.raises(OptionError, match=r"it has several\): --references test\.author \| test\.reader"):
        imported(source, "ake")
    with pytest.raises(OptionError, match=r"'test\.editor' is not among them"):
        imported(source, "ake", references="test.editor")
    assert imported(source, "ake", references="test.reader")[0]["keyphrases"] == ["tide"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("references/test.author.json", "{", r"test\.author\.json: this is not JSON"),
        ("references/test.author.json", '{"10": ["reef", 5]}', "this is not of the form"),
        ("references/test.author.json", '{"10": [[]]}', "this is not of the form"),
        ("references/test.author.json", "[]", "this is not of the form"),
        ("test/10.xml", "<root>", r"test/10\.xml: this is not XML"),
        ("test/10.xml", "<root>&unknown;</root>", r"test/10\.xml: this is not XML: undefined entity"),
    ],
)
def test_ake_with_a_broken_file(folder, imported, name, content, message):
    files = {"test/10.xml": TEXT, "references/test.author.json": REFS, name: content}
    with pytest.raises(InputError, match=message):
        imported(folder(files), "ake")


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE root [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><root>&b;</root>',
        '<!DOCTYPE root [<!ENTITY a SYSTEM "file:///etc/passwd">]><root>&a;</root>',
        '<!DOCTYPE root SYSTEM "http://example.invalid/x.dtd"><root/>',
    ],
)
def test_xml_with_a_document_type_is_refused(folder, imported, declaration):
    files = {"test/10.xml": declaration, "references/test.author.json": REFS}
    with pytest.raises(InputError, match=r"test/10\.xml: it declares a document type"):
        imported(folder(files), "ake")


KPG = (
    {"id": "a", "title": "On  Reefs", "abstract": "Reefs\nare old.", "keywords": "coral reef;; tide table "},
    {"name": "b", "title": "Tides", "abstract": "New.", "fulltext": "The whole.", "keywords": ["tides"]},
    {"title": "Fish", "abstract": "Red.", "fulltext": "", "keywords": []},
)


def test_kpg(folder, imported):
    source = folder({"test.json": "\n".join(map(json.dumps, KPG)) + "\n"})
    assert imported(source / "test.json", "kpg") == [
        {"id": "a", "title": "On Reefs", "text": "Reefs are old.", "keyphrases": ["coral reef", "tide table"]},
        {"id": "b", "title": "Tides", "text": "New.", "keyphrases": ["tides"]},
        {"id": "3", "title": "Fish", "text": "Red.", "keyphrases": []},
    ]


def test_kpg_full(folder, imported):
    source = folder({"test.json": json.dumps(KPG[1]) + "\n"})
    assert imported(source / "test.json", "kpg-full")[0]["text"] == "New.\nThe whole."
    with pytest.raises(
        InputError, match=r"test\.json:1: the field 'fulltext' is missing or not a string \(fields: id, "
    ):
        imported(folder({"test.json": json.dumps(KPG[0])}) / "test.json", "kpg-full")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"test\.json:1: this line is not JSON"),
        ("[]", r"test\.json:1: this line is not a JSON object"),
        ('{"title": "", "keywords": ""}', "the field 'abstract' is missing"),
        ('{"title": "", "abstract": "", "keywords": 5}', "the field 'keywords' is neither"),
    ],
)
def test_kpg_with_a_bad_line(folder, imported, line, message):
    with pytest.raises(InputError, match=message):
        imported(folder({"test.json": line}) / "test.json", "kpg")


def test_kpg_wants_one_file(folder, imported):
    with pytest.raises(InputError, match=r"name one \.json file .*has 2: test\.json, valid\.json"):
        imported(folder({"test.json": "{}", "valid.json": "{}"}), "kpg")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("inspec", r"has no \*\.abstr files"),
        ("duc2001", r"has no annotations\.txt"),
        ("nus", r"has no folders like 10/10\.txt"),
        ("docs-keys", r"has no docsutf8/\*\.txt and keys/\*\.key"),
        ("krapivin", r"has no docsutf8/\*\.txt and keys/\*\.key"),
        ("ake", r"has no references/\*\.json"),
        ("kpg", r"name one \.json file .*has none"),
    ],
)
def test_the_wrong_kind_says_what_is_missing(folder, imported, kind, message):
    with pytest.raises(InputError, match=message):
        imported(folder({"notes.md": "x"}), kind)
