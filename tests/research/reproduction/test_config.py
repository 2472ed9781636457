from __future__ import annotations

import pytest

from mderank.errors import OptionError
from mderank.options import Options
from mderank.research.evaluation.spec import RunSpec
from mderank.research.reproduction.config import EncoderInfo, Limits, ReproductionConfig
from mderank.research.reproduction.tables import PARTS, choose_parts


@pytest.mark.parametrize(
    ("layers", "depths"), [(12, (3, 6, 12)), (6, (2, 3, 6)), (4, (1, 2, 4)), (24, (6, 12, 24)), (1, (1, 1, 1))]
)
def test_layers_of_other_encoders(layers, depths):
    assert EncoderInfo("m", layers).depths() == depths


def test_runs_are_commands_of_evaluate(full):
    spec = full.mderank("nus", "exact", max_words=128)
    assert spec.command() == (
        "mderank evaluate --dataset nus --method mderank --model bert-base-uncased --exact --max-words 128"
    )
    assert (spec.options.exact, spec.options.max_words, spec.options.layer) == (True, 128, None)
    assert full.sifrank("nus").options.model == "elmo"


def test_the_embedded_encoder_need_not_be_named(config):
    assert config.embedrank("nus").options == Options(method="embedrank")
    assert config.sifrank("nus").options == Options(method="sifrank")


def test_limits():
    config = ReproductionConfig(
        EncoderInfo("minilm-l6", 6), limit=Limits(200), exact_limit=Limits(100, {"inspec": 300})
    )
    assert [config.mderank("nus", mode).limit for mode in ("exact", "one pass")] == [100, 200]
    assert config.baseline("nus", "yake").limit == 200
    assert config.mderank("inspec", "exact").limit == 200  # the smaller of the two
    single = ReproductionConfig(EncoderInfo("minilm-l6", 6), limit=Limits(None, {"nus": 5}))
    assert [single.mderank(each, "exact").limit for each in ("nus", "inspec")] == [5, None]
    # A document that is asked for by its id is there whatever the limit.
    assert config.mderank("nus", "exact", document="117").limit is None


def test_an_encoder_that_cannot_do_one_pass_has_exact_mode_only(config):
    assert config.modes_of(config.encoder) == ("exact", "one pass")
    assert config.modes_of(EncoderInfo("mpnet", 12, one_pass=False)) == ("exact",)


def test_yake_taught_the_absolute_one_unless_told_otherwise(full):
    assert full.kpe_by("yake") == full.kpe["ab"]
    assert full.kpe_by("textrank") == full.kpe["textrank"]
    assert ReproductionConfig(EncoderInfo("m", 2), kpe={"yake": EncoderInfo("y", 2), "ab": EncoderInfo("a", 2)}).kpe_by(
        "yake"
    ) == EncoderInfo("y", 2)
    assert ReproductionConfig(EncoderInfo("m", 2)).kpe_by("yake") is None


def test_tables_by_number_and_by_word():
    assert choose_parts([]) == choose_parts(["all"]) == choose_parts(["main", "all"]) == PARTS
    assert [part.name for part in choose_parts(["similarity", "table1"])] == ["table1", "table10"]
    with pytest.raises(OptionError, match=r"'table11' is not a table of the paper.*table3 \(main\)"):
        choose_parts(["table11"])


def test_options_with_the_same_set_are_the_same_run(config):
    assert config.mderank("nus", "one pass") == RunSpec("nus", Options(method="mderank"))
    assert len({config.mderank("nus", "exact"), config.mderank("nus", "exact")}) == 1
