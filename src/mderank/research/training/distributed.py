"""The device and the processes of a training run, by Accelerate."""

from __future__ import annotations

import contextlib
import os
from datetime import timedelta
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.utils import DistributedDataParallelKwargs, InitProcessGroupKwargs

from mderank.errors import TrainingError
from mderank.research.training.settings import TrainingSettings


def make_accelerator(settings: TrainingSettings) -> Accelerator:
    """Choose the device, and connect the processes that a launcher started.

    Without a GPU, processes exchange gradients by torch's own CPU backend (gloo).

    Args:
        settings: Device and precision are used.

    Returns:
        The accelerator.

    Raises:
        TrainingError: Several processes were started, but do not train together.
    """
    accelerator = Accelerator(
        # Without this, Accelerate would take each process on a CPU for a run of its own.
        cpu=settings.device == "cpu" or not torch.accelerator.is_available(),
        mixed_precision=settings.precision,
        kwargs_handlers=[
            # One process labels the corpus or measures while the others wait: that may take hours.
            InitProcessGroupKwargs(timeout=timedelta(days=7)),
            # The encoder may have a pooling layer that MDERank does not use.
            DistributedDataParallelKwargs(find_unused_parameters=True),
        ],
    )
    check_processes(accelerator.num_processes)
    return accelerator


def check_processes(together: int) -> None:
    """Refuse a launch whose processes would each train by themselves, into one folder.

    Args:
        together: The number of processes that train together.

    Raises:
        TrainingError: The launcher started another number of processes.
    """
    started = int(os.environ.get("WORLD_SIZE", "1"))
    if together != started:
        raise TrainingError(
            f"{started} processes were started, but they do not train together: start them with torchrun or "
            "accelerate launch, on a CPU with --set training.device=cpu"
        )


def synchronise_if(last: bool, accelerator: Accelerator, module: torch.nn.Module) -> Any:
    """Return a context in which processes exchange gradients only for the last batch of a step."""
    return contextlib.nullcontext() if last else accelerator.no_sync(module)


def sum_over_processes(accelerator: Accelerator, values: torch.Tensor) -> torch.Tensor:
    """Add up values over all processes, in float64 where the device has it.

    Args:
        accelerator: The accelerator.
        values: The values of this process, on the CPU.

    Returns:
        The sums, on the CPU.
    """
    dtype = torch.float32 if accelerator.device.type == "mps" else torch.float64
    total: torch.Tensor = accelerator.reduce(values.to(accelerator.device, dtype), "sum")
    return total.double().cpu()
