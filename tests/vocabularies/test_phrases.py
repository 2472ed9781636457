from mderank.vocabularies.collector import Collector
from mderank.vocabularies.phrases import read_phrases, split_lines


def test_lines_comments_and_blank_lines():
    assert split_lines("tide  gauge \n\n # no comment\n# one\n\\# two\n\\x") == (
        ("tide  gauge", "# no comment", "# two", "\\x"),
        1,
    )


def test_a_phrase_is_a_concept_and_its_own_id():
    collector = Collector("file")
    read_phrases("tide  gauge\n# one\ntide gauge\nsurge", collector)
    assert collector.comments == 1
    assert [(each.id, each.label()) for each in collector.finish("variant", False).vocabulary.concepts] == [
        ("tide gauge", "tide gauge"),
        ("surge", "surge"),
    ]
