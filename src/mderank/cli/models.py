"""``mderank models``: what is installed, and what can be."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import click

from mderank.cli._options import DEFAULT_MODEL

# Encoders that were tried, or that the paper names.
KNOWN = (
    ("bert-base-uncased", "the paper's default: 110 M parameters, 12 layers"),
    ("sentence-transformers/all-MiniLM-L6-v2", "the original of the bundled model"),
    ("sentence-transformers/all-mpnet-base-v2", "110 M parameters; exact form only"),
    ("FacebookAI/roberta-base", "125 M parameters, 12 layers"),
    ("google/bigbird-roberta-base", "the paper's long-document encoder, 4096 tokens; exact form only"),
    ("intfloat/multilingual-e5-small", "about 100 languages: 118 M parameters, 12 layers; the one for other languages"),
    ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "50 languages: 118 M parameters, 12 layers"),
)


@click.command(short_help="List the encoders that --model takes.")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def models(folders: tuple[Path, ...], as_json: bool) -> None:
    """List the encoders that --model takes: bundled, in the Hugging Face cache, to be had.

    FOLDERS are searched for exported and downloaded models besides.
    """
    rows = [
        {
            "model": DEFAULT_MODEL,
            "status": "bundled",
            "note": "the default, English: 23 M parameters, 6 layers, ONNX Runtime",
        }
    ]
    rows += [_local(place) for folder in folders for place in _model_folders(folder)]
    cached = _cached()
    torch = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("transformers") is not None
    notes = dict(KNOWN)
    rows += [{"model": name, "status": "downloaded", "note": notes.get(name, "")} for name in cached]
    status = "on first use" if torch else "with mderank[torch]"
    rows += [{"model": name, "status": status, "note": note} for name, note in KNOWN if name not in cached]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    from mderank.util.tables import align_columns

    click.echo("\n".join(align_columns([(row["model"], row["status"], row["note"]) for row in rows], "<<<")))
    click.echo(
        "\nAny encoder of the Hugging Face hub with a mask token works by its name, any folder that holds\n"
        "one by its path" + ("." if torch else ", after: pip install 'mderank[torch]'.") + "\n"
        "The bundled encoder is for English. It is of some use for other languages in Latin letters, of little for\n"
        "others. A multilingual one is better there; without torch, by mderank export intfloat/multilingual-e5-small\n"
        "DIR --storage int8 --compute int16, and --model DIR."
    )


def _model_folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise click.UsageError(f"{folder} is not a folder")
    return [
        place
        for place in (folder, *sorted(folder.iterdir()))
        if (place / "config.json").is_file() or (place / "encoder.json").is_file()
    ]


def _local(folder: Path) -> dict[str, str]:
    if (folder / "encoder.json").is_file():
        return {"model": str(folder), "status": "ONNX form", "note": "runs without torch"}
    notes = {
        "*.safetensors": "",
        "pytorch_model*.bin": "pickled weights: converted to safetensors on first use",
    }
    for pattern, note in notes.items():
        if any(folder.glob(pattern)):
            return {"model": str(folder), "status": "with torch", "note": note}
    return {"model": str(folder), "status": "unusable", "note": "no safetensors weights: cannot be loaded"}


def _cached() -> list[str]:
    """Models in the Hugging Face cache."""
    if importlib.util.find_spec("huggingface_hub") is None:
        return []
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    try:
        return sorted(repo.repo_id for repo in scan_cache_dir().repos if repo.repo_type == "model")
    except CacheNotFound:
        return []
