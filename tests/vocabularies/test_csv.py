import pytest

from mderank import InputError
from mderank.vocabularies.collector import Collector
from mderank.vocabularies.csv import read_csv, read_tsv


def read(text, reader=read_csv):
    collector = Collector("file")
    reader(text, collector)
    found = collector.finish("variant", False)
    return {each.id: (each.preferred, each.alternative, each.hidden) for each in found.vocabulary.concepts}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_synonyms_in_a_cell_with_any_delimiter(delimiter):
    text = "id,label,synonyms,note\r\nt1,tide gauge,mareograph| TG,\n\nt2,tide,,no use\n".replace(",", delimiter)
    assert read(text) == {
        "t1": ({"": "tide gauge"}, {"": ("mareograph", "TG")}, {}),
        "t2": ({"": "tide"}, {}, {}),
    }


def test_several_rows_per_concept_and_languages():
    text = (
        "URI,prefLabel,altLabel,lang,hidden\nt,tide gauge,mareograph,en,gage\nt,Pegel,,de,\nt,,TG,en,\nt,gauge,,en,\n"
    )
    assert read(text) == {
        "t": ({"en": "tide gauge", "de": "Pegel"}, {"en": ("mareograph", "TG", "gauge")}, {"en": ("gage",)})
    }


def test_columns_that_name_their_language():
    text = "uri,label_en,skos:prefLabel@de,synonyms_pt-BR\n<http://x/1>,tide,Tide,maré|mares\n"
    assert read(text) == {"http://x/1": ({"en": "tide", "de": "Tide"}, {"pt-br": ("maré", "mares")}, {})}


def test_the_label_is_the_id_where_there_is_none():
    assert read("label,synonyms\ntide  gauge,TG\ntide gauge,mareograph\n") == {
        "tide gauge": ({"": "tide gauge"}, {"": ("TG", "mareograph")}, {})
    }


def test_deprecated_rows():
    assert list(read("id,label,deprecated\na,tide,false\nb,mill,TRUE\nc,surge,\n")) == ["a", "c"]
    with pytest.raises(InputError, match="line 2: deprecated is 'perhaps': write true or false"):
        read("id,label,deprecated\na,tide,perhaps\n")


def test_addresses_and_labels_as_annif_has_them():
    text = "<http://x/1>\ttide gauge\n\n<http://x/2>\ttide\t551.46\n"
    assert read(text, read_tsv) == {"http://x/1": ({"": "tide gauge"}, {}, {}), "http://x/2": ({"": "tide"}, {}, {})}
    with pytest.raises(InputError, match="line 2 is not an address in angle brackets, a tab and a label"):
        read("<http://x/1>\ttide\ntide\n", read_tsv)


def test_columns_that_are_not_used_are_named():
    collector = Collector("file")
    read_csv("Term;Synonyme;note;\ntide;flux;x;\n", collector)
    assert collector.finish("variant", False).unused == ("Synonyme", "note")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_only_line_ends_of_csv_end_a_row(ending):
    text = ending.join(("id,label,note", "1,tide,two\u2028lines", "2,storm\x0bsurge,\x85", ""))
    assert list(read(text)) == ["1", "2"]


def test_cells_over_several_lines_and_lines_of_errors():
    text = 'id,label,note\n1,tide,"two\nlines"\n'
    assert list(read(text)) == ["1"]
    with pytest.raises(InputError, match=r"line 4 is not CSV \('.' expected after '\"'\): quotation marks"):
        read(text + '2,"a"b,\n')
    with pytest.raises(InputError, match="line 4 has 4 cells, and the first row names 3 columns: put a cell with ','"):
        read(text + "2,a,b,c\n")
    with pytest.raises(InputError, match="line 4 has neither an id nor a label"):
        read(text + ",,x\n")
    with pytest.raises(InputError, match="line 4 is not CSV"):
        read(text + '2,"open\n')


@pytest.mark.parametrize("text", ["foo,bar\n1,2\n", "id,language\n1,en\n"])
def test_a_first_row_without_labels(text):
    with pytest.raises(InputError, match=r"names no column of labels; it has .*: name the columns id, label, synonyms"):
        read(text)
