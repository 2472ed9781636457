from __future__ import annotations

import pytest

from mderank.errors import OptionError
from mderank.research.reproduction.config import Limits, Model, Setup
from mderank.research.reproduction.tables import PARTS, choose
from mderank.research.reproduction.wanted import Wanted


@pytest.mark.parametrize(
    ("layers", "depths"), [(12, (3, 6, 12)), (6, (2, 3, 6)), (4, (1, 2, 4)), (24, (6, 12, 24)), (1, (1, 1, 1))]
)
def test_layers_of_other_encoders(layers, depths):
    assert Model("m", layers).depths() == depths


def test_runs_are_commands_of_evaluate(full):
    wanted = full.mderank("nus", "exact", "--max-words", "128")
    assert wanted.command() == (
        "mderank evaluate --dataset nus --method mderank --model bert-base-uncased --max-words 128 --exact"
    )
    assert (wanted.exact, wanted.option("--max-words"), wanted.option("--layer")) == (True, "128", None)
    assert full.sifrank("nus").option("--model") == "elmo"


def test_the_embedded_encoder_need_not_be_named(setup):
    assert setup.embedrank("nus").options == ()
    assert setup.sifrank("nus").options == ()


def test_limits():
    setup = Setup(Model("minilm-l6", 6), limit=Limits(200), exact_limit=Limits(100, {"inspec": 300}))
    assert [setup.mderank("nus", form).limit for form in ("exact", "one pass")] == [100, 200]
    assert setup.baseline("nus", "yake").limit == 200
    assert setup.mderank("inspec", "exact").limit == 200  # the smaller of the two
    single = Setup(Model("minilm-l6", 6), limit=Limits(None, {"nus": 5}))
    assert [single.mderank(each, "exact").limit for each in ("nus", "inspec")] == [5, None]
    # A document that is asked for by its id is there whatever the limit.
    assert setup.mderank("nus", "exact", document="117").limit is None


def test_an_encoder_that_cannot_do_one_pass_has_the_exact_form_only(setup):
    assert setup.forms_of(setup.encoder) == ("exact", "one pass")
    assert setup.forms_of(Model("mpnet", 12, one_pass=False)) == ("exact",)


def test_yake_taught_the_absolute_one_unless_told_otherwise(full):
    assert full.kpe_by("yake") == full.kpe["ab"]
    assert full.kpe_by("textrank") == full.kpe["textrank"]
    assert Setup(Model("m", 2), kpe={"yake": Model("y", 2), "ab": Model("a", 2)}).kpe_by("yake") == Model("y", 2)
    assert Setup(Model("m", 2)).kpe_by("yake") is None


def test_tables_by_number_and_by_word():
    assert choose([]) == choose(["all"]) == choose(["main", "all"]) == PARTS
    assert [part.name for part in choose(["similarity", "table1"])] == ["table1", "table10"]
    with pytest.raises(OptionError, match=r"'table11' is none of the paper's tables.*table3 \(main\)"):
        choose(["table11"])


def test_options_with_the_same_set_are_the_same_run(setup):
    assert setup.mderank("nus", "one pass") == Wanted("nus", "mderank")
    assert len({setup.mderank("nus", "exact"), setup.mderank("nus", "exact")}) == 1
