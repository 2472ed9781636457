"""Run the training commands of docs/training.md as printed, against a stand-in for the Hugging Face hub.

    python .ci/training_commands.py FOLDER

FOLDER is a clone of the project; the commands run in it, the installation among them, in the environment of the Python
that runs this script. The encoders that the recipes name are tiny ones here, and WikiText is a few hundred made-up
sections, so that a whole run takes a few steps.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from stand_in_hub import StandInHub

PAGE = "docs/training.md"
HEADING = "## Train an encoder"
NOUNS = ("reef storm harbour coast winter committee reserve current sediment glacier orchard railway parliament "
         "manuscript satellite bridge canal monastery dialect orchestra").split()  # fmt: skip
ADJECTIVES = "coral tidal northern annual early marine narrow public rural ancient".split()
VERBS = "shaped reached divided followed measured restored described crossed".split()


def sentence(rng: random.Random) -> str:
    """A sentence with a few noun phrases."""
    phrases = [f"the {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {rng.choice(NOUNS)}" for _ in range(2)]
    return f"{phrases[0].capitalize()} {rng.choice(VERBS)} {phrases[1]} in {rng.randint(1500, 2000)}."


def section(seed: int) -> str:
    """A paragraph of about 130 words."""
    rng = random.Random(seed)
    return " ".join(sentence(rng) for _ in range(13))


def write_hub(folder: Path) -> None:
    """Write what the recipes fetch: two encoders, and WikiText in two sizes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    write_encoder(folder / "models" / "bert-base-uncased", sentence_encoder=False)
    write_encoder(folder / "models" / "sentence-transformers" / "all-MiniLM-L6-v2", sentence_encoder=True)
    lines = [line for seed in range(576) for line in (f" = Article {seed} = \n", f" {section(seed)} \n")]
    dataset = folder / "datasets" / "Salesforce" / "wikitext"
    header = "---\nconfigs:\n"
    for name in ("wikitext-2-raw-v1", "wikitext-103-raw-v1"):
        (dataset / name).mkdir(parents=True)
        pq.write_table(pa.table({"text": lines}), dataset / name / "train-00000-of-00001.parquet")
        header += f"- config_name: {name}\n  data_files:\n  - split: train\n    path: {name}/train-*\n"
    (dataset / "README.md").write_text(header + "---\n", encoding="utf-8")


def write_encoder(folder: Path, *, sentence_encoder: bool) -> None:
    """Write a tiny BERT with random weights; the plain one with its language model's head."""
    import json

    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForMaskedLM, BertModel, PreTrainedTokenizerFast

    letters = [chr(code) for code in (*range(ord("0"), ord("9") + 1), *range(ord("a"), ord("z") + 1))]
    entries = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]", ".", ",", "the", "in", *letters]
    entries += [f"##{letter}" for letter in letters] + NOUNS + ADJECTIVES + VERBS
    vocabulary = {entry: number for number, entry in enumerate(entries)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("cls", "sep", "pad", "unk", "mask")}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **names).save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(vocab_size=len(entries), hidden_size=16, intermediate_size=32, num_attention_heads=2,
                        num_hidden_layers=2, max_position_embeddings=512)  # fmt: skip
    (BertModel if sentence_encoder else BertForMaskedLM)(config).save_pretrained(folder)
    if sentence_encoder:
        modules = [{"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
        (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")


def commands(page: str) -> list[str]:
    """The lines of the first block of commands below the heading."""
    block = re.search(rf"{re.escape(HEADING)}\n.*?```sh\n(.*?)```", page, re.DOTALL)
    if block is None:
        raise SystemExit(f"{PAGE} has no block of commands below '{HEADING}'")
    return block[1].strip().splitlines()


def main(folder: Path) -> None:
    """Install, then run the other commands one after the other; the first that fails ends it."""
    install, *others = commands((folder / PAGE).read_text(encoding="utf-8"))
    path = {"PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"}

    def run(command: str, environment: dict[str, str]) -> None:
        print(f"$ {command}", flush=True)
        subprocess.run(["bash", "-c", f"set -e; {command}"], cwd=folder, env=environment | path, check=True)

    hub = folder.parent / "hub"
    with StandInHub(hub) as server:
        # Neither data nor models of this machine; one thread, since threads only wait for each other on tiny tensors.
        environment = server.environment(
            folder.parent / "home", MDERANK_DATA_DIR="", MDERANK_MODELS_DIR="", OMP_NUM_THREADS="1"
        )
        run(install.replace("pip install", "pip install --quiet"), environment)
        # Made by the environment that was just installed: this Python may have had nothing.
        subprocess.run([sys.executable, __file__, "--write-hub", str(hub)], check=True)
        papers = folder / "papers"
        papers.mkdir()
        for number in range(12):
            text = "\n\n".join(section(1000 + 10 * number + part) for part in range(6))
            (papers / f"{number}.txt").write_text(text, encoding="utf-8")
        for command in others:
            run(command, environment)
    print(f"{len(others)} commands passed")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write-hub"]:
        write_hub(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]).resolve())
