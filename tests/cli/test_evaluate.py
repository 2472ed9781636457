from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import shutil
import warnings

import pytest

from mderank.options import Options
from mderank.research import RunSpec
from mderank.tagging import load_tagger

DOCUMENTS = [
    {
        "id": "a",
        "title": "",
        "text": "The barn owl is a bird of prey. A barn owl sees in the dark.",
        "keyphrases": ["barn owls"],
    },
    {
        "id": "b",
        "title": "",
        "text": "A tide gauge measures the tide of the harbour.",
        "keyphrases": ["tide gauge", "sea"],
    },
    {"id": "c", "title": "", "text": "", "keyphrases": ["nothing"]},
]


@pytest.fixture
def dataset(tmp_path):
    file = tmp_path / "birds.jsonl"
    file.write_text("".join(json.dumps(document) + "\n" for document in DOCUMENTS))
    return file


def run_folder(tmp_path, label):
    (folder,) = (tmp_path / "runs").glob(f"*/{label}")
    return folder


def read_tables(printed):
    """The printed tables by title: the words of their header and of their rows."""
    tables = {}
    for block in re.split(r"\n(?=[^\n]+, protocol )", printed):
        title, _, header, _, *rows = block.strip("\n").split("\n")
        tables[title] = [line.split() for line in (header, *rows)]
    return tables


def test_a_run_is_written_scored_and_not_repeated(run, dataset, tmp_path):
    arguments = ("evaluate", "-d", dataset, "--method", "mderank", "--out", tmp_path / "runs", "--measure", "R@M")
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    # Both phrases of the text are found; the sea and the empty document's are not: 2 of 4.
    (first, of_first), (second, of_second) = read_tables(result.stdout).items()
    assert "protocol mderank" in first
    assert "protocol macro-stem" in second
    assert of_first[0] == ["dataset", "R@M", "redundancy@10", "s/doc"]
    # Document b has "tide" in "tide gauge": two phrases in three documents.
    assert of_first[1][1:-1] == of_second[1][1:-1] == ["50.00", "0.67"]
    folder = run_folder(tmp_path, "mderank")
    before = (folder / "documents.jsonl").read_bytes()
    assert run(*arguments).stdout == result.stdout
    assert (folder / "documents.jsonl").read_bytes() == before
    settings = json.loads((folder / "run.json").read_text())
    assert settings["encoder"]["name"] == "minilm-l6"
    options = settings["options"]
    assert (options["max_words"], options["max_tokens"], options["max_phrase_words"]) == (512, 512, 0)
    assert (options["dedupe"], options["top_k"], options["tokenizer"]) == ("case", 0, "spacy")
    assert settings["versions"]["mderank"]


def test_the_default_method_is_that_of_extract(run, dataset, tmp_path):
    out = ("--out", tmp_path / "runs", "-q")
    assert run("evaluate", "-d", dataset, *out).exit_code == 0
    settings = json.loads((run_folder(tmp_path, "fusion") / "run.json").read_text())
    assert settings["options"]["method"] == Options().method == RunSpec("birds").options.method == "fusion"


def test_methods_have_their_labels_and_options(run, dataset, tmp_path):
    out = ("--out", tmp_path / "runs", "-q")
    for method in ("embedrank", "firstphrases", "random", "tfidf", "oracle"):
        assert run("evaluate", "-d", dataset, "--method", method, *out).exit_code == 0
        assert run_folder(tmp_path, method)
    masked = ("--method", "mderank", "--masking", "subset", "--pooling", "max")
    assert run("evaluate", "-d", dataset, *masked, *out).exit_code == 0
    assert run_folder(tmp_path, "mderank-masking=subset-pooling=max")
    result = run("evaluate", "-d", dataset, "--method", "random", "--exact", *out)
    assert result.exit_code == 2
    assert "the method 'random' does not take exact" in result.stderr
    assert run("evaluate", "-d", dataset, "--method", "oracle", "--exact", *out).exit_code == 2


def test_a_run_knows_the_files_that_its_method_was_given(run, dataset, tmp_path):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("owl 1 0\nbarn 0 1\nprey 1 -1\n")
    arguments = ("evaluate", "-d", dataset, "--method", "embedrank-vectors", "--set", f"vectors={vectors}",
                 "--out", tmp_path / "runs", "--label", "it", "-q")  # fmt: skip
    assert run(*arguments).exit_code == 0
    settings = json.loads((run_folder(tmp_path, "it") / "run.json").read_text())
    assert settings["files"] == {"vectors": hashlib.sha256(vectors.read_bytes()).hexdigest()}
    vectors.write_text("owl 1 0\nbarn 0 1\nprey 1 1\n")
    assert run(*arguments).exit_code != 0  # another run
    result = run("extract", dataset, "--method", "embedrank-vectors")
    assert result.exit_code == 2
    assert "--set vectors=FILE" in result.stderr


def test_the_oracle_is_the_upper_bound(run, dataset, tmp_path):
    result = run("evaluate", "-d", dataset, "--method", "oracle", "--out", tmp_path / "runs", "--measure", "P@1")
    assert next(iter(read_tables(result.stdout).values()))[1][1] == "100.00"


def test_the_full_text_is_an_option(run, dataset, tmp_path):
    arguments = ("--text", "full", "--method", "firstphrases", "--out", tmp_path / "runs", "-q")
    assert run("evaluate", "-d", dataset, *arguments).exit_code == 0
    settings = json.loads((run_folder(tmp_path, "firstphrases") / "run.json").read_text())
    assert (settings["text"], settings["options"]["max_words"]) == ("full", None)


def test_bad_names(run, dataset, tmp_path):
    assert "unknown protocol 'best'" in run("evaluate", "-d", dataset, "--protocol", "best").stderr
    assert "unknown measure 'F1'" in run("evaluate", "-d", dataset, "--measure", "F1").stderr
    result = run("evaluate", "-d", "nosuchset", "--data-dir", tmp_path)
    assert result.exit_code == 2
    assert "inspec" in result.stderr


def test_overlap_is_recorded_where_it_is_given(run, dataset, tmp_path):
    arguments = ("evaluate", "-d", dataset, "--method", "firstphrases", "--out", tmp_path / "runs", "-q")
    assert run(*arguments).exit_code == 0
    assert json.loads((run_folder(tmp_path, "firstphrases") / "run.json").read_text())["options"]["overlap"] is None
    assert run(*arguments, "--overlap", "none").exit_code == 0
    folder = run_folder(tmp_path, "firstphrases-overlap=none")
    assert json.loads((folder / "run.json").read_text())["options"]["overlap"] == "none"
    # Of "tide gauge" and "tide" in document b only the first is left.
    assert len(lines(folder)[1]["predictions"]) < len(lines(run_folder(tmp_path, "firstphrases"))[1]["predictions"])


def test_other_settings_in_the_same_place_are_refused(run, dataset, tmp_path):
    out = ("--method", "mderank", "--out", tmp_path / "runs", "-q", "--label", "mine")
    assert run("evaluate", "-d", dataset, *out).exit_code == 0
    result = run("evaluate", "-d", dataset, *out, "--masking", "once")
    assert result.exit_code == 2
    assert "options.masking: None, now 'once'" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mderank", "sifrank"])
def test_torch_is_recorded_where_it_was_used(run, dataset, tmp_path, tiny_model, method):
    pytest.importorskip("wordfreq")
    arguments = ("evaluate", "-d", dataset, "--method", method, "--out", tmp_path / "runs", "-q", "--label")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(*arguments, "onnx").exit_code == 0
        result = run(*arguments, "torch", "--model", tiny_model("bert"))
    assert result.exit_code == 0, result.stderr
    of_onnx, of_torch = (
        json.loads((run_folder(tmp_path, label) / "run.json").read_text())["versions"] for label in ("onnx", "torch")
    )
    assert {"torch", "transformers"}.isdisjoint(of_onnx)
    assert of_torch == of_onnx | {name: importlib.metadata.version(name) for name in ("torch", "transformers")}


@pytest.mark.slow
def test_a_run_goes_on_with_the_same_torch_only(run, dataset, tmp_path, tiny_model):
    arguments = ("evaluate", "-d", dataset, "--method", "mderank", "--model", tiny_model("bert"),
                 "--out", tmp_path / "runs", "-q")  # fmt: skip
    assert run(*arguments, "--label", "it").exit_code == 0
    file = run_folder(tmp_path, "it") / "run.json"
    settings = json.loads(file.read_text())
    now = settings["versions"]["torch"]
    file.write_text(json.dumps(settings | {"versions": settings["versions"] | {"torch": "1.0"}}))
    result = run(*arguments, "--label", "it")
    assert result.exit_code == 2
    assert f"other settings (versions.torch: '1.0', now '{now}')" in result.stderr
    # A run of before, which did not record it, goes on; what it does not know it does not say.
    versions = {
        name: version for name, version in settings["versions"].items() if name not in ("torch", "transformers")
    }
    file.write_text(json.dumps(settings | {"versions": versions}))
    assert run(*arguments, "--label", "it").exit_code == 0
    assert json.loads(file.read_text())["versions"] == versions


def test_encoders_with_the_same_folder_name_have_labels_of_their_own(run, dataset, tmp_path, tiny_model):
    for name, kind in (("ab-yake", "bert"), ("re-yake", "electra")):
        shutil.copytree(tiny_model(kind), tmp_path / name / "model")
        shutil.copytree(tiny_model(kind), tmp_path / name / "kpe")
    runs = tmp_path / "runs"

    def labels(*arguments):
        result = run("evaluate", "-d", dataset, "--method", "mderank", "--out", runs, *arguments, "-q")
        assert result.exit_code == 0, result.stderr
        return sorted(folder.name for folder in runs.glob("birds/*"))

    ab, re = "mderank-model=ab-yake_model", "mderank-model=re-yake_model"
    assert labels("--model", tmp_path / "ab-yake" / "model") == [ab]
    assert labels("--model", tmp_path / "re-yake" / "model") == [ab, re]
    assert json.loads((runs / "birds" / re / "run.json").read_text())["label"] == re
    # Given again, each goes on where it is; so does a run that was called by the last name alone.
    (runs / "birds" / ab / "summary.json").unlink()
    assert labels("--model", tmp_path / "ab-yake" / "model") == [ab, re]
    assert (runs / "birds" / ab / "summary.json").is_file()
    old = runs / "birds" / "mderank-model=model"
    (runs / "birds" / ab).rename(old)
    settings = json.loads((old / "run.json").read_text())
    (old / "run.json").write_text(json.dumps(settings | {"label": old.name}))
    assert labels("--model", tmp_path / "ab-yake" / "model") == [old.name, re]
    # A name that says something is used alone, as long as it is the only one.
    shutil.rmtree(runs)
    assert labels("--model", tmp_path / "ab-yake" / "kpe") == ["mderank-model=kpe"]
    assert labels("--model", tmp_path / "re-yake" / "kpe") == ["mderank-model=kpe", "mderank-model=re-yake_kpe"]
    result = run("compare", runs)
    assert result.exit_code == 0, result.stderr
    assert "mderank-model=re-yake_kpe" in result.stdout


def test_methods_are_listed_and_used_by_extract(run, example, tmp_path):
    assert "embedrank" in run("methods").stdout
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("The tide is high.")
    (corpus / "b.txt").write_text("The tide is low.")
    for arguments in (("embedrank",), ("firstphrases",), ("random", "--seed", 3), ("tfidf", "--frequencies", corpus)):
        result = run("extract", example, "-f", "jsonl", "--method", *arguments)
        assert len(json.loads(result.stdout)["keyphrases"]) == 10
    assert (
        json.loads(run("extract", example, "-f", "jsonl", "--method", "firstphrases").stdout)["keyphrases"][0]["text"]
        == "storm surges"
    )
    assert "does not take diversity" in run("extract", example, "--method", "tfidf", "--diversity", "0.5").stderr


def lines(folder):
    return [
        {name: value for name, value in json.loads(line).items() if name != "seconds"}
        for line in (folder / "documents.jsonl").read_text().splitlines()
    ]


def test_several_methods_share_the_tagging_and_give_what_each_gives_alone(run, dataset, tmp_path):
    methods = ("tfidf", "yake", "firstphrases", "oracle")
    given = [argument for method in methods for argument in ("--method", method)]
    result = run("evaluate", "-d", dataset, *given, "--out", tmp_path / "runs")
    assert result.exit_code == 0, result.stderr
    assert [line.split(",")[0] for line in result.stdout.splitlines() if "protocol mderank" in line] == list(methods)
    together = {method: lines(run_folder(tmp_path, method)) for method in methods}
    for method in methods:
        assert run("evaluate", "-d", dataset, "--method", method, "--out", tmp_path / "runs").exit_code == 0
        alone = tmp_path / "alone"
        assert run("evaluate", "-d", dataset, "--method", method, "--out", alone, "-q").exit_code == 0
        assert lines(next(alone.glob(f"*/{method}"))) == together[method]


def test_one_label_for_several_methods_is_refused(run, dataset):
    result = run("evaluate", "-d", dataset, "--method", "tfidf", "--method", "random", "--label", "x")
    assert result.exit_code == 2
    assert "--label names one run" in result.stderr


def test_one_document_by_its_id(run, dataset, tmp_path):
    out = ("--out", tmp_path / "runs", "--method", "firstphrases", "-q")
    assert run("evaluate", "-d", dataset, "--document", "b", *out).exit_code == 0
    folder = run_folder(tmp_path, "firstphrases-document=b")
    assert [json.loads(line)["id"] for line in (folder / "documents.jsonl").read_text().splitlines()] == ["b"]
    assert json.loads((folder / "run.json").read_text())["documents"] == ["b"]
    result = run("evaluate", "-d", dataset, "--document", "z", *out)
    assert result.exit_code == 2
    assert "has no document z" in result.stderr


EVERYDAY = [
    {
        "id": "mail",
        "kind": "email",
        "text": "The barn owl is a bird of prey. Barn owls see in the dark.",
        "acceptable": ["barn owls"],
        "junk": ["the dark"],
    },
    {"id": "note", "kind": "note", "text": "The tide gauge measures the tide.", "acceptable": [], "junk": ["tides"]},
]


@pytest.fixture
def judged(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(document) + "\n" for document in EVERYDAY))
    return file


def test_a_judged_dataset_is_run_as_users_run_it(run, judged, tmp_path):
    out = ("--method", "firstphrases", "--out", tmp_path / "runs")
    result = run("evaluate", "-d", judged, *out, "--show-unjudged")
    assert result.exit_code == 0, result.stderr
    folder = run_folder(tmp_path, "firstphrases")
    first, second = lines(folder)
    # The two forms of the owl are one entry, as in the list of mderank extract; bird and prey are not judged.
    assert [text for text, _, _ in first["predictions"]] == ["barn owl", "bird", "prey", "dark"]
    assert [text for text, _, _ in second["predictions"]] == ["tide gauge", "tide"]
    assert (first["hits"], first["junk"], first["kind"]) == ([1], ["the dark"], "email")
    settings = json.loads((folder / "run.json").read_text())
    options = settings["options"]
    assert (settings["judged"], options["top_k"], options["dedupe"]) == (True, 10, "variant")
    assert (settings["text"], options["max_words"]) == ("full", None)
    shown = result.stdout.splitlines()
    assert shown[0] == "Judged lists, as users get them"
    assert shown[2].split() == "Method acceptable@10 junk@10 redundancy@10 phrases on empty s/doc".split()
    # One of six is acceptable, two are junk; the tide is in the tide gauge; the note has no acceptable phrase.
    assert shown[4] == "mine, 2 documents"
    assert shown[5].split()[:-1] == "firstphrases 16.67 33.33 1.00 3.0 2 in 1".split()
    kinds = shown.index("Judged lists by kind of document")
    assert shown[kinds + 4] == "mine, email, 1 document"
    assert shown[kinds + 5].split() == "firstphrases 25.00 25.00 0.00 4.0 –".split()
    assert shown[kinds + 7] == "mine, note, 1 document"
    assert shown[kinds + 8].split() == "firstphrases 0.00 50.00 2.00 2.0 2 in 1".split()
    assert shown[shown.index("Neither acceptable nor junk: 3 phrases") :] == [
        "Neither acceptable nor junk: 3 phrases",
        "mine mail (email)",
        "  bird",
        "  prey",
        "mine note (note)",
        "  tide gauge",
    ]
    result = run("compare", tmp_path / "runs", "-f", "csv", "--html", tmp_path / "page.html")
    assert "judged,mine,firstphrases,acceptable@10,16.67," in result.stdout
    assert "judged,mine,firstphrases,phrases on empty documents,2.00," in result.stdout
    assert "judged,mine,firstphrases,junk@10 kind note,50.00," in result.stdout
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<li><strong>✓ barn owl</strong></li><li>bird</li><li>prey</li><li><s>✗ dark</s></li>" in page


def test_at_most_ten_phrases_count(run, tmp_path):
    words = ["owl", "gull", "crow", "hawk", "wren", "swan", "goose", "duck", "stork", "heron", "robin", "eagle"]
    text = " ".join(f"The {word} is here." for word in words)
    (tmp_path / "mine.jsonl").write_text(
        json.dumps({"id": "1", "kind": "list", "text": text, "acceptable": words[:3], "junk": words[9:]})
    )
    out = ("--method", "firstphrases", "--out", tmp_path / "runs")
    result = run("evaluate", "-d", tmp_path / "mine.jsonl", *out)
    assert [text for text, _, _ in lines(run_folder(tmp_path, "firstphrases"))[0]["predictions"]] == words[:10]
    assert result.stdout.splitlines()[5].split()[1:5] == ["30.00", "10.00", "0.00", "10.0"]


@pytest.mark.slow
def test_the_everyday_set_needs_no_data_folder(run, tmp_path, monkeypatch):
    monkeypatch.delenv("MDERANK_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    assert run("evaluate", "-d", "everyday", "--method", "firstphrases", "--out", "runs").exit_code == 0
    result = run("compare", "runs", "--html", "page.html")
    assert result.stdout.startswith("Judged lists, as users get them\n")
    assert '<div class="text">' in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_labelled_and_judged_sets_in_one_command(run, dataset, judged, tmp_path):
    out = ("--method", "yake", "--method", "oracle", "--out", tmp_path / "runs")
    result = run("evaluate", "-d", dataset, "-d", judged, *out)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("protocol macro-stem") == 2
    assert "mine, 2 documents" in result.stdout
    settings = json.loads((tmp_path / "runs" / "birds" / "yake" / "run.json").read_text())
    assert settings["judged"] is False
    assert settings["options"]["dedupe"] == "case"
    alone = tmp_path / "alone"
    assert run("evaluate", "-d", judged, "--method", "yake", "--out", alone, "-q").exit_code == 0
    assert lines(alone / "mine" / "yake") == lines(tmp_path / "runs" / "mine" / "yake")
    result = run("compare", tmp_path / "runs", "--html", tmp_path / "page.html")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("Protocol mderank")
    assert "mine, 2 documents" in result.stdout
    assert "2 methods on 2 datasets" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_options_that_a_judged_dataset_has_no_use_for(run, dataset, judged, tmp_path):
    out = ("--method", "firstphrases", "--out", tmp_path / "runs")
    for arguments, complaint in [
        (("-d", judged, "--text", "paper"), "text 'paper': mine is judged as users read it"),
        (("-d", judged, "--measure", "F1@5"), "F1@5: judged datasets have the measures redundancy, acceptable, junk"),
        (("-d", dataset, "--measure", "junk@5"), "junk@5: datasets with gold keyphrases have the measures P, R, F1"),
        (("-d", dataset, "--show-unjudged"), "--show-unjudged is for judged datasets"),
    ]:
        result = run("evaluate", *arguments, *out)
        assert result.exit_code == 2
        assert complaint in result.stderr
    assert not (tmp_path / "runs").exists()
    result = run("evaluate", "-d", judged, "--text", "full", "--measure", "junk@1", *out)
    assert result.stdout.splitlines()[2].split()[1] == "junk@1"


FRENCH = [
    {
        "id": "a",
        "title": "Le port",
        "text": "Les bateaux du port attendent la marée. Un bateau attend la marée.",
        "keyphrases": ["bateau", "marées"],
        "language": "fr",
    },
    {"id": "b", "title": "", "text": "Les chevaux de la ferme.", "keyphrases": ["cheval"], "language": "fr"},
]


def test_a_dataset_in_another_language(run, tmp_path):
    file = tmp_path / "mer.jsonl"
    file.write_text("".join(json.dumps(document) + "\n" for document in FRENCH))
    arguments = ("--method", "oracle", "--method", "yake", "--out", tmp_path / "runs", "--measure", "R@M")
    result = run("evaluate", "-d", file, *arguments)
    assert result.exit_code == 0, result.stderr
    assert next(iter(read_tables(result.stdout).values()))[1][1] == "100.00"  # by French stems
    for method in ("oracle", "yake"):
        settings = json.loads((run_folder(tmp_path, method) / "run.json").read_text())
        assert (settings["language"], settings["text"], settings["options"]["language"]) == ("fr", "full", "fr")
        assert settings["tagger_version"] == load_tagger(language="fr").name
    lines = (run_folder(tmp_path, "yake") / "documents.jsonl").read_text().splitlines()
    assert [json.loads(line)["language"] for line in lines] == ["fr", "fr"]
    assert run("evaluate", "-d", file, *arguments).stdout == result.stdout  # found again


def test_another_tagger_is_named_in_the_run(run, tmp_path):
    file = tmp_path / "mer.jsonl"
    file.write_text("".join(json.dumps(document) + "\n" for document in FRENCH))
    arguments = ("--method", "firstphrases", "--tagger", "encoder", "--out", tmp_path / "runs", "-q")
    assert run("evaluate", "-d", file, *arguments).exit_code == 0
    settings = json.loads((run_folder(tmp_path, "firstphrases") / "run.json").read_text())
    assert (settings["language"], settings["options"]["language"]) == ("fr", None)
    assert settings["tagger_version"] == load_tagger("encoder").name


def test_english_runs_have_no_language(run, dataset, tmp_path):
    assert run("evaluate", "-d", dataset, "--method", "firstphrases", "--out", tmp_path / "runs", "-q").exit_code == 0
    folder = run_folder(tmp_path, "firstphrases")
    settings = json.loads((folder / "run.json").read_text())
    assert "language" not in settings
    assert settings["options"]["language"] is None
    assert '"language"' not in (folder / "documents.jsonl").read_text()


@pytest.mark.data
def test_the_sets_in_other_languages_are_found_by_their_names(run, data_dir, tmp_path):
    arguments = ("--data-dir", data_dir, "--limit", "2", "--method", "firstphrases", "--out", tmp_path / "runs", "-q")
    assert run("evaluate", "-d", "fr_taln", "-d", "fr_wikinews", "-d", "pt_news", *arguments).exit_code == 0
    assert sorted(each.name for each in (tmp_path / "runs").iterdir()) == ["fr_taln", "fr_wikinews", "pt_news"]
