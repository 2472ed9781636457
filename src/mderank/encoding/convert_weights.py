"""Convert the weights of a Hugging Face model from ``pytorch_model.bin`` to safetensors.

``python -m mderank.encoding.convert_weights SOURCE TARGET`` reads them from the folder SOURCE and writes them into the
folder TARGET. A ``.bin`` file is a pickle, which could run any code when it is unpickled. It is read by torch's
restricted unpickler, which makes tensors and plain containers only and refuses everything else. That runs in a process
of its own, which `mderank.encoding.model_folder` starts. Its exit status is 0 or, with the reason on stdout, `REFUSED`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

WEIGHTS, INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
SAFE_WEIGHTS, SAFE_INDEX = "model.safetensors", "model.safetensors.index.json"

REFUSED = 3  # exit status: the weights are not plain tensors, or cannot be read


class _RefusedError(Exception):
    """Weights that will not be converted, and why."""


def convert(source: Path, target: Path) -> None:
    """Convert weights to safetensors, in as many files as there were.

    Args:
        source: Folder with the weights.
        target: Folder to write to.
    """
    from safetensors.torch import save_file

    files = _files(source)
    # The same names as transformers gives: model.safetensors, or model-00001-of-00002.safetensors and so on.
    renamed = {name: name.replace("pytorch_model", "model", 1).removesuffix(".bin") + ".safetensors" for name in files}
    weight_map: dict[str, str] = {}
    size = 0
    for name in files:
        tensors = _tensors(source / name)
        save_file(tensors, target / renamed[name], metadata={"format": "pt"})
        weight_map |= dict.fromkeys(tensors, renamed[name])
        size += sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    if files != [WEIGHTS]:
        index = {"metadata": {"total_size": size}, "weight_map": weight_map}
        (target / SAFE_INDEX).write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")


def _files(source: Path) -> list[str]:
    """The files that hold the weights: one, or the shards that the index names."""
    if (source / WEIGHTS).is_file():
        return [WEIGHTS]
    try:
        names = sorted(set(json.loads((source / INDEX).read_text(encoding="utf-8"))["weight_map"].values()))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _RefusedError(f"{INDEX} is not an index of weights") from error
    for name in names:
        # The index comes with the model: a name in it must not lead out of the folder.
        if not isinstance(name, str) or Path(name).name != name or not name.endswith(".bin"):
            raise _RefusedError(f"{INDEX} names '{name}', which is not a .bin file beside it")
        if not (source / name).is_file():
            raise _RefusedError(f"{name} is missing, which {INDEX} names")
    return names


def _tensors(file: Path) -> dict[str, torch.Tensor]:
    """The named tensors in a file, each with memory of its own."""
    import torch
    from transformers.utils.import_utils import check_torch_load_is_safe

    try:
        check_torch_load_is_safe()  # before torch 2.6 the restricted unpickler could be got round
        content = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # pickle, zip, end-of-file and torch's own errors share no other base
        reason = " ".join(str(error).split()) or type(error).__name__
        raise _RefusedError(f"{file.name} cannot be read as plain tensors: {reason}") from error
    if not isinstance(content, Mapping) or not content:
        raise _RefusedError(f"{file.name} does not hold tensors by name")
    for name, tensor in content.items():
        if not isinstance(name, str) or not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided:
            raise _RefusedError(f"{file.name} holds '{name}', which is not an ordinary tensor with a name")
    # Tied weights share memory, which safetensors does not store: each gets a copy.
    return {name: tensor.detach().clone(memory_format=torch.contiguous_format) for name, tensor in content.items()}


def main() -> None:
    """The program."""
    try:
        convert(Path(sys.argv[1]), Path(sys.argv[2]))
    except _RefusedError as refused:
        print(refused)
        sys.exit(REFUSED)


if __name__ == "__main__":
    main()
