import pytest

from mderank import InputError, OptionError
from mderank.research.training.recipe import Recipe, recipe_names


def test_the_recipes_that_come_with_it():
    assert recipe_names() == ["minilm-distill", "minilm-one-pass", "minilm-triplet", "own-texts", "paper"]


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_written_and_read_again_is_the_same(name, tmp_path):
    recipe = Recipe.load(name)
    (tmp_path / "again.toml").write_text(recipe.as_toml(), encoding="utf-8")
    assert Recipe.load(tmp_path / "again.toml") == recipe


def test_the_papers_settings():
    recipe = Recipe.load("paper")
    objective, training = recipe.objective, recipe.training
    assert (recipe.model.name, recipe.model.pooling, recipe.labels.method) == ("bert-base-uncased", "max", "yake")
    assert (objective.kind, objective.loss, objective.scale) == ("triplet", "hinge", "cosine")
    assert (objective.margin, objective.mlm_weight) == (0.2, 0.1)
    assert (training.learning_rate, training.batch, training.device_batch, training.epochs) == (3e-5, 32, 2, 10)
    assert (training.max_tokens, recipe.corpus.config) == (512, "wikitext-103-raw-v1")
    assert (recipe.sampling.kind, recipe.sampling.label_count) == ("absolute", 10)
    assert Recipe.load("paper", ["sampling.kind=relative"]).sampling.label_count == 20
    assert recipe.labels.max_phrase_words is None
    assert recipe.validation.select == "last"


def test_texts_of_the_users_own_take_the_place_of_a_corpus():
    for name in recipe_names():
        corpus = Recipe.load(name, texts=["papers/"]).corpus
        assert (corpus.kind, corpus.files, corpus.hub, corpus.config) == ("texts", ("papers/",), None, None)
        assert corpus.max_words == Recipe.load(name).corpus.max_words
    # A file that is named must not be replaced by a dataset of the hub where it does not exist.
    corpus = Recipe.load("minilm-one-pass", ["corpus.files=mine.raw"]).corpus
    assert (corpus.kind, corpus.files, corpus.hub) == ("wikitext", ("mine.raw",), None)


def test_changes():
    changes = ["training.seed=7", "labels.method=textrank", "corpus.limit=none", "labels.options.window=3"]
    recipe = Recipe.load("minilm-one-pass", changes)
    assert (recipe.training.seed, recipe.labels.method, recipe.corpus.limit) == (7, "textrank", None)
    assert recipe.labels.options == {"window": 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[trainig]\nseed = 1", "unknown section 'trainig': did you mean training?"),
        ("[training]\nsead = 1", r"unknown setting of \[training\] 'sead': did you mean seed\?"),
        ("training = 1", r"'training' is a section: write \[training\]"),
        ("[training]\nseed = 'x'", "training.seed must be a whole number of at least 0, not 'x'"),
        ("[training]\nseed = true", "training.seed must be a whole number of at least 0, not True"),
        ("[model]\ndropout = 1", "model.dropout must be true or false, not 1"),
        ("[objective]\nkind = 'both'", "objective.kind must be one of one-pass, triplet, distill, not 'both'"),
        ("[corpus]\nfiles = [1]", r"corpus.files must be a list of texts, not \[1\]"),
        ("[training]\nbatch = 0", "training.batch must be a whole number of at least 1, not 0"),
        ("[training]\nlearning_rate = 0.0", "training.learning_rate must be a number above 0, not 0.0"),
        ("[corpus]\nmin_words = 400", "corpus.min_words .400. must be below"),
        ("[objective]\nkind = 'distill'", "sampling.kind = 'unlabelled' belong together"),
        ("[sampling]\nkind = 'unlabelled'", "sampling.kind = 'unlabelled' belong together"),
        (
            "[labels]\nmax_phrase_words = 0",
            "labels.max_phrase_words must be a whole number of at least 1 or none, not 0",
        ),
        ("[sampling]\nlabels = 30", "sampling.labels .30. is more than labels.keep .20."),
        ("[objective]\nkind = 'triplet'\nloss = 'listwise'", "a triplet has one pair"),
        ("[model]\npooling = 'cls'", "exists in the exact form only"),
        ("[validation]\nmonitor = 'f1'", "needs validation.datasets"),
        ("[validation]\npatience = 2\nevery = 0", "validation.patience needs validation.every"),
    ],
)
def test_what_is_wrong_is_named(text, message, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match=message) as caught:
        Recipe.load(file)
    assert str(file) in str(caught.value)


def test_a_recipe_that_is_not_there_or_not_toml(tmp_path):
    with pytest.raises(InputError, match="there is no recipe 'papr': name a TOML file, or one of minilm-distill"):
        Recipe.load("papr")
    (tmp_path / "bad.toml").write_text("a = = 1", encoding="utf-8")
    with pytest.raises(InputError, match="is not TOML"):
        Recipe.load(tmp_path / "bad.toml")
    with pytest.raises(OptionError, match=r"write SECTION.KEY=VALUE"):
        Recipe.load("paper", ["seed=1"])


def test_what_differs_and_matters():
    recipe = Recipe.load("paper")
    other = Recipe.load("paper", ["training.seed=7", "training.device_batch=8", "output.log_every=3"])
    assert other.differences(recipe.as_dict()) == {"training.seed": (42, 7)}
    older = recipe.as_dict()
    del older["training"]["clip"]  # a setting that came later has its default
    assert recipe.differences(older) == {}
