"""The descriptions in datasets.toml, and that they agree with the datasets."""

from __future__ import annotations

import re
import shlex

import pytest

from mderank.cli import cli
from mderank.research.datasets import DATASETS, PAPER_DATASETS, load_dataset, statistics
from mderank.research.datasets.importers import IMPORTERS

# Table 2 of the paper, and what ../shared/data/README.md counted: documents, N_KP, L_KP over all phrases, share of gold
# present, and in the first 512 words.
COUNTED = {
    "inspec": (500, 9.82, 2.33, 79.8, 79.8),
    "semeval2017": (493, 17.30, 2.89, 99.8, 99.8),
    "semeval2010": (100, 15.20, 2.15, 41.8, 41.8),
    "duc2001": (307, 8.07, 2.09, 98.4, 90.6),
    "nus": (211, 11.60, 2.13, 88.2, 60.8),
    "krapivin": (460, 5.74, 2.07, 83.8, 63.4),
    "semeval2010_full": (100, 15.20, 2.15, 91.1, 56.1),
}
# Words of the text that the paper reads, and words a phrase, averaged as the paper averages them.
AS_THE_PAPER = {
    "inspec": (121.84, 2.31),
    "semeval2017": (170.38, 3.00),
    "semeval2010": (189.98, 2.13),
    "duc2001": (724.64, 2.07),
    "nus": (7947.01, 2.07),
    "krapivin": (8657.71, 2.03),
    "semeval2010_full": (8808.63, 2.13),
}
SLOW = {"krapivin", "nus", "semeval2010_full"}


def test_the_paper_has_six_sets():
    assert PAPER_DATASETS == ("inspec", "semeval2017", "semeval2010", "duc2001", "krapivin", "nus")
    assert list(DATASETS)[6:9] == ["semeval2010_full", "everyday", "everyday_held_out"]
    assert list(DATASETS)[9:] == ["fr_taln", "fr_wikinews", "pt_news"]
    assert [info.name for info in DATASETS.values() if info.packaged] == ["everyday", "everyday_held_out"]


@pytest.mark.parametrize("info", DATASETS.values(), ids=lambda info: info.name)
def test_each_description_is_complete(info):
    if not info.packaged:
        assert re.fullmatch(r"[0-9a-f]{64}", info.sha256)
        assert info.source.startswith("https://")
    assert all((info.title, info.description, info.citation, info.terms, info.split))


def test_languages_of_the_descriptions():
    languages = {info.name: info.language for info in DATASETS.values() if info.language != "en"}
    assert languages == {"fr_taln": "fr", "fr_wikinews": "fr", "pt_news": "pt"}
    assert all("a half, for development" in DATASETS[name].split for name in languages)


@pytest.mark.parametrize(
    "info",
    [info for info in DATASETS.values() if not info.packaged and info.language == "en"],
    ids=lambda info: info.name,
)
def test_import_commands_are_commands(info):
    program, group, command, *arguments = shlex.split(info.import_command)
    assert (program, group, command) == ("mderank", "datasets", "import")
    parsed = cli.commands["datasets"].commands["import"]
    _, kind, target = [argument for argument in arguments if not argument.startswith("-")][:3]
    assert kind in IMPORTERS
    assert target.removesuffix(".gz") == f"{info.name}.jsonl"
    assert {argument for argument in arguments if argument.startswith("--")} <= {
        name for parameter in parsed.params for name in parameter.opts
    }


@pytest.mark.data
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in COUNTED]
)
def test_the_datasets_are_as_described(data_dir, name):
    dataset = load_dataset(name, data_dir)
    counted = statistics(dataset)
    info = DATASETS[name]
    assert (counted.documents, counted.keyphrases) == (info.documents, info.keyphrases)
    assert dataset.notes == ()
    documents, phrases, words, present, early = COUNTED[name]
    assert counted.documents == documents
    assert counted.phrases == pytest.approx(phrases, abs=0.005)
    assert counted.phrase_words_overall == pytest.approx(words, abs=0.005)
    assert 100 * counted.present == pytest.approx(present, abs=0.06)
    assert 100 * counted.present_in_first_words == pytest.approx(early, abs=0.06)
    assert (round(counted.document_words, 2), round(counted.phrase_words, 2)) == AS_THE_PAPER[name]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "present", "words"),
    [("fr_taln", 53.0, 121.05), ("fr_wikinews", 95.9, 266.10), ("pt_news", 99.4, 303.69)],
)
def test_the_datasets_in_other_languages_are_as_described(data_dir, name, present, words):
    dataset = load_dataset(name, data_dir)
    info = DATASETS[name]
    counted = statistics(dataset)
    assert (counted.documents, counted.keyphrases) == (info.documents, info.keyphrases)
    assert (dataset.languages, dataset.notes) == ((info.language,), ())
    assert 100 * counted.present == pytest.approx(present, abs=0.06)  # as whole words, without stems: 44.5, 91.8, 99.4
    assert counted.document_words == pytest.approx(words, abs=0.005)
    by_path = load_dataset(f"languages/{name}", data_dir)
    assert (by_path.name, by_path.info) == (name, info)
