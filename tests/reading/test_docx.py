"""Word documents: what a reader of the page sees, and no more."""

from __future__ import annotations

import io
import zipfile

import pytest
from docx import Document
from tests.helpers import docx, zip_file

from mderank.errors import InputError
from mderank.reading import ReadOptions
from mderank.reading.docx import docx_text


def read(data: bytes, **options) -> str:
    return docx_text(data, ReadOptions(**options)).text


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p>{properties}<w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"


def test_what_word_processors_write(tmp_path):
    made = Document()
    made.core_properties.title = "A title that no page shows"
    made.add_heading("Storm surges", 0)
    text = made.add_paragraph("The surge model reads ")
    text.add_run("wind").bold = True
    text.add_run(" fields &\ttides.")
    made.add_paragraph("harmonic analysis", style="List Bullet")
    table = made.add_table(rows=2, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text, table.cell(1, 1).text = "gauge", "3.2 m", "3.9\n m"
    made.sections[0].header.paragraphs[0].text = "CONFIDENTIAL"
    made.sections[0].footer.paragraphs[0].text = "page 1"
    made.save(tmp_path / "a.docx")
    assert docx_text((tmp_path / "a.docx").read_bytes(), ReadOptions()).title == "Storm surges"
    assert read((tmp_path / "a.docx").read_bytes()).split("\n\n") == [
        "Storm surges",
        "The surge model reads wind fields &\ttides.",
        "harmonic analysis",
        "gauge | 3.2 m\n| 3.9 m",
    ]


def test_formulas_are_shown_and_are_not_prose():
    def formula(text: str) -> str:
        properties = "<m:rPr><m:sty m:val='p'/></m:rPr>"
        return f"<m:oMath xmlns:m='m'><m:r>{properties}<m:t>{text}</m:t></m:r></m:oMath>"

    body = f"<w:p><w:r><w:t>Of </w:t></w:r>{formula('k')}<w:r><w:t>-means, </w:t></w:r>{formula('dN/dt=rN')}"
    row = f"<w:tr><w:tc>{paragraph('a')}</w:tc><w:tc><w:p>{formula('x  + y')}{formula('')}</w:p></w:tc></w:tr>"
    assert docx_text(docx(f"{body}</w:p><w:tbl>{row}</w:tbl>"), ReadOptions()) == (
        "Of k-means, dN/dt=rN\n\na | x + y",
        "Of k-means, ,       \n\na | ,    ",
        None,
    )
    assert docx_text(docx(f"<w:p>{formula('x')}</w:p>"), ReadOptions()) == ("x", None, None)


def test_prompts_of_empty_form_fields_are_left_out():
    def field(text: str, properties: str = "") -> str:
        return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{paragraph(text)}</w:sdtContent></w:sdt>"

    shown = "<w:showingPlcHdr/>"
    outer = f"<w:sdt><w:sdtContent>{field('Click here to enter text.', shown)}{field('tide')}</w:sdtContent></w:sdt>"
    body = outer + field("reef", "<w:showingPlcHdr w:val='false'/>") + paragraph("surge")
    assert read(docx(body)).split("\n\n") == ["tide", "reef", "surge"]


def test_tracked_changes_are_accepted_and_hidden_text_is_left_out():
    run = "<w:r><w:t>{}</w:t></w:r>"
    body = (
        "<w:p>"
        + run.format("The ")
        + f"<w:ins>{run.format('new ')}</w:ins>"
        + "<w:del><w:r><w:delText>old </w:delText><w:t>older </w:t></w:r></w:del>"
        + f"<w:moveFrom>{run.format('moved ')}</w:moveFrom>"
        + "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden </w:t></w:r>"
        + "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>reef</w:t></w:r>"
        + "<w:r><w:instrText>PAGEREF x</w:instrText></w:r></w:p>"
    )
    assert read(docx(body)) == "The new reef"


def test_a_hidden_paragraph_mark_hides_no_text():
    properties = "<w:pPr><w:rPr><w:vanish/></w:rPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr>"
    assert read(docx(paragraph("The reef", properties))) == "The reef"


def test_breaks_tabs_and_hyphens():
    body = "<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>"
    assert read(docx(body)) == "a\nb\tc-d"


def test_a_text_box_is_read_once():
    box = f"<w:txbxContent>{paragraph('in the box')}</w:txbxContent>"
    both = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    body = f"<w:p xmlns:mc='m'><w:r><w:t>around</w:t></w:r><w:r>{both}</w:r></w:p>"
    assert read(docx(body)) == "in the box\n\naround"


def test_notes_follow_the_text_without_their_separators():
    notes = (
        f"<w:footnote w:type='separator'>{paragraph('---')}</w:footnote><w:footnote>{paragraph('a note')}</w:footnote>"
    )
    ends = f"<w:endnote>{paragraph('at the end')}</w:endnote>"
    made = docx(paragraph("The reef"), footnotes=notes, endnotes=ends)
    assert read(made) == "The reef\n\na note\n\nat the end"


def table(*rows: list[str]) -> str:
    made = "".join("<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in row) + "</w:tr>" for row in rows)
    return f"<w:tbl>{made}</w:tbl>"


def test_rows_are_lines_unless_their_cells_are_long_or_have_paragraphs():
    short, two = paragraph("reef"), paragraph("storm") + paragraph("surge")
    long = paragraph("x" * 290)
    assert read(docx(table([short, short], [short, "<w:p/>", short]))) == "reef | reef\nreef |  | reef"
    assert read(docx(table([short, short], [short, two]))) == "reef | reef\n\nreef\n\nstorm\n\nsurge"
    assert read(docx(table([short, long + ""], [short, long]))) == f"reef | {'x' * 290}\nreef | {'x' * 290}"
    assert read(docx(table([short, long, long]))) == f"reef\n\n{'x' * 290}\n\n{'x' * 290}"
    assert read(docx(table([short]) + short)) == "reef\n\nreef"
    assert read(docx(table([short, short]) + short + table([short, short]))) == "reef | reef\n\nreef\n\nreef | reef"
    assert read(docx(table([short, short]) + table([short, short]))) == "reef | reef\n\nreef | reef"


def test_a_table_in_a_table():
    inner = table([paragraph("a"), paragraph("b")])
    assert read(docx(table([paragraph("c"), inner], [paragraph("d"), paragraph("e")]))) == "c | a | b\nd | e"
    twice = table([paragraph("a"), paragraph("b")], [paragraph("f"), paragraph("g")])
    assert read(docx(table([paragraph("c"), twice], [paragraph("d")]))) == "c\n\na | b\nf | g\n\nd"


def test_a_table_of_contents_is_left_out():
    style = "<w:pPr><w:pStyle w:val='{}'/></w:pPr>"
    body = paragraph("Reefs .... 3", style.format("TOC1")) + paragraph("Reefs", style.format("Heading1"))
    assert read(docx(body)) == "Reefs"


def test_parts_are_found_where_the_archive_says():
    """Word for the web calls the main part document2.xml; other programs write absolute paths."""
    relationship = '<Relationship Type="http://x/{}" Target="{}"/>'
    made = zip_file(
        {
            "_rels/.rels": f"<R>{relationship.format('officeDocument', '/text/main.xml')}</R>",
            "text/_rels/main.xml.rels": f"<R>{relationship.format('footnotes', '../f.xml')}</R>",
            "text/main.xml": f"<document><body>{paragraph('main').replace('w:', '')}</body></document>",
            "f.xml": f"<footnotes><footnote>{paragraph('note').replace('w:', '')}</footnote></footnotes>",
        }
    )
    assert read(made) == "main\n\nnote"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "has a password, or is from before 2007"),
        (b"Storm surges.", "this file is damaged, or of another format"),
        (b"", "this file is damaged, or of another format"),
        (docx(paragraph("The reef"))[:-40], "this file is damaged, or of another format"),
        (zip_file({"a.txt": "x"}), "is not a Word document"),
        (zip_file({"word/document.xml": "<workbook/>"}), "not a Word document but a workbook"),
        (zip_file({"word/document.xml": "no xml"}), "its XML is damaged"),
        (docx("<w:p></w:r>"), "its XML is damaged"),
        (docx("<w:p><w:r><w:drawing/></w:r></w:p>"), "has no text, only pictures"),
        (docx("<w:tbl>" * 600), "more than 500 elements in each other"),
        (zip_file({"word/document.xml": docx(paragraph("x"))}), "its XML is damaged"),
    ],
)
def test_files_that_cannot_be_read(data, told):
    with pytest.raises(InputError, match=told):
        read(data)


def test_an_encrypted_member():
    data = bytearray(docx(paragraph("The reef")))
    directory = data.index(b"PK\x01\x02")
    data[6] |= 1
    data[directory + 8] |= 1
    with pytest.raises(InputError, match="encrypted: save a copy without password"):
        read(bytes(data))


def test_the_limit_counts_text_and_the_lines_between():
    made = docx(paragraph("x" * 40) + paragraph("y" * 58))
    assert len(read(made, max_document_chars=100)) == 100
    with pytest.raises(InputError, match="--max-document-chars 99"):
        read(made, max_document_chars=99)


@pytest.mark.parametrize(
    ("markup", "told"),
    [
        (b"<!--x-->", "more than 800,000 bytes together, that is 40 per character of --max-document-chars 20000"),
        (b"<r/>", "more than 50,000 elements"),
    ],
)
def test_a_small_file_with_gigabytes_of_markup(markup, told):
    """Sizes are counted as the archive is decompressed: what its directory says may be a lie."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        part.write(b"<document>")
        for _ in range(3):
            part.write(markup * 100_000)
    with pytest.raises(InputError, match=told):
        read(out.getvalue(), max_document_chars=20_000)
