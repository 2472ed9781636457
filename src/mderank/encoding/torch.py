"""Encoders by torch and transformers: any Hugging Face encoder, by hub name or folder, on CPU or GPU."""

from __future__ import annotations

import copy
import json
import logging
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from mderank.encoding.base import EncoderInputs, EncoderSpec, PoolingName, TokenizedText
from mderank.encoding.file_checks import check_transformers_folder
from mderank.encoding.model_folder import model_folder
from mderank.encoding.probe import can_do_one_pass, first_position, is_anisotropic
from mderank.encoding.text_prefix import check_text_prefix, default_text_prefix
from mderank.encoding.tokenizer import prefix_tokens, prepare_tokenizer, special_tokens, tokenize
from mderank.errors import MissingExtraError, ModelError
from mderank.util.arrays import Floats

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer

Dtype = Literal["float32", "float16", "bfloat16"]
DTYPES: tuple[Dtype, ...] = ("float32", "float16", "bfloat16")


class TorchEncoder:
    """A Hugging Face encoder, which runs on torch.

    Its weights are safetensors, or a ``pytorch_model.bin``. The latter is converted to safetensors at the first call,
    in a process of its own that runs no code of the file. A test of the model finds whether one-pass masking works.

    Args:
        model: Name on the hub, or folder.
        device: Device of torch, such as "cuda"; None takes the GPU if there is one.
        dtype: Number format: "float32", "float16" or "bfloat16".
        text_prefix: Words to put before every text, such as "query: "; None for those of the model's configuration.

    Attributes:
        folder: Folder of the model; its name if it is from the hub.
        spec: Properties of the encoder.

    Raises:
        MissingExtraError: If torch or transformers is missing.
        ModelError: If the model cannot be loaded, the dtype is unknown or the device cannot be used.
        OptionError: If the prefix is too long.
    """

    packages: ClassVar[tuple[str, ...]] = ("torch", "transformers")  # whose versions may change the states

    def __init__(
        self, model: str, *, device: str | None = None, dtype: Dtype = "float32", text_prefix: str | None = None
    ) -> None:
        try:
            import torch
            import transformers  # noqa: F401
        except ImportError as error:
            raise MissingExtraError(f"the model '{model}', a Hugging Face encoder,", "torch") from error
        if dtype not in DTYPES:
            raise ModelError(f"unknown dtype '{dtype}': it is one of {', '.join(DTYPES)}")
        self._arguments = (model, device, dtype, text_prefix)
        self._device = torch.device("cpu")
        _silence_libraries()
        loaded = model_folder(model)
        # The weights' files, where the model is a folder; runs are recognised by their checksum.
        self.folder = loaded if Path(model).is_dir() else Path(model)
        self._model, tokenizer = _load(model, loaded)
        self._tokenizer = prepare_tokenizer(tokenizer.backend_tokenizer)
        self._sparse_attention = getattr(self._model, "attention_type", None)
        self._lower: dict[int, Any] = {}  # the model cut above a layer
        before = default_text_prefix(loaded) if text_prefix is None else check_text_prefix(text_prefix)
        self.spec = self._probed(_spec(model, loaded, self._model.config, tokenizer, self._tokenizer, before))
        # Probed in float32 on the CPU, where rounding cannot be mistaken for a leak; only now moved.
        try:
            self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
            self._model.to(device=self._device, dtype=getattr(torch, dtype))
        except (RuntimeError, AssertionError) as error:
            reason = shorten(str(error), 200, placeholder=" …")
            raise ModelError(f"the device '{device}' cannot be used ({reason}); try --device cpu") from error

    def _probed(self, spec: EncoderSpec) -> EncoderSpec:
        """``spec`` with what can only be found by asking the model: its first position, and whether one pass works."""
        self.spec = spec
        first = first_position(self)
        if first is None:
            return spec
        positions = _positions(self._model.config, first)
        self.spec = replace(spec, first_position=first, max_length=min(spec.max_length, positions))
        self.spec = replace(self.spec, one_pass=can_do_one_pass(self))
        return replace(self.spec, anisotropic=self.spec.pooling == "mean" and is_anisotropic(self))

    def __getstate__(self) -> dict[str, Any]:
        """Sent to another process, it loads its model there."""
        return {"arguments": self._arguments}

    def __setstate__(self, state: dict[str, Any]) -> None:
        model, device, dtype, text_prefix = state["arguments"]
        TorchEncoder.__init__(self, model, device=device, dtype=dtype, text_prefix=text_prefix)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer, of the package ``tokenizers``."""
        return self._tokenizer

    @property
    def module(self) -> torch.nn.Module:
        """The torch module of the model."""
        module: torch.nn.Module = self._model
        return module

    @property
    def device(self) -> str:
        """The name of the model's device: ``cpu``, ``cuda:1``."""
        return str(self._device)

    def tokenize(self, text: str) -> TokenizedText:
        """Return all tokens of a text, without truncation and without special tokens.

        Args:
            text: Any text.

        Returns:
            The tokens with their character offsets.
        """
        return tokenize(self._tokenizer, text)

    def hidden_states(self, inputs: EncoderInputs, layer: int) -> Floats:
        """Compute the hidden states of a layer.

        Args:
            inputs: A batch of ``B`` sequences of ``S`` tokens.
            layer: Number of the layer; 0 is the embedding layer.

        Returns:
            Hidden states ``(B, S, d)`` in float32.
        """
        return self._states(self._run(self._up_to(layer), inputs), inputs, layer)

    def hidden_states_and_attentions(self, inputs: EncoderInputs, layer: int) -> tuple[Floats, Floats]:
        """Compute the hidden states and the attention weights of a layer.

        Args:
            inputs: A batch of ``B`` sequences of ``S`` tokens.
            layer: Number of the layer, from 1.

        Returns:
            Hidden states ``(B, S, d)`` and attention weights ``(B, h, S, S)``.

        Raises:
            ModelError: If the model does not return attention weights.
        """
        usual = self._model.config._attn_implementation
        # Only this implementation has the weights at hand. It rounds otherwise, so that `states` must not keep it.
        self._model.set_attn_implementation("eager")
        try:
            output = self._run(self._model, inputs, output_attentions=True)
        finally:
            self._model.set_attn_implementation(usual)
        size = inputs.input_ids.shape[1]
        weights = (output.attentions or ())[layer - 1 : layer]
        if len(weights) != 1 or weights[0].ndim != 4 or weights[0].shape[-2:] != (size, size):
            raise ModelError(
                f"'{self.spec.name}' does not give the weights of its attention: choose an encoder that does, "
                "such as bert-base-uncased"
            )
        return self._states(output, inputs, layer), weights[0].float().cpu().numpy()

    def _up_to(self, layer: int) -> Any:
        """The model, or a lower part of it that has the same states after ``layer`` layers."""
        layer = max(1, layer)
        if layer >= self.spec.layers:
            return self._model
        if layer not in self._lower:
            self._lower[layer] = self._cut(layer) or self._model
        return self._lower[layer]

    def _cut(self, layer: int) -> Any | None:
        """The lower layers as a model by themselves, with the same weights; none if that has other states."""
        import torch
        from transformers import AutoModel

        config = copy.deepcopy(self._model.config)
        config.num_hidden_layers = layer
        usual = self._model.config._attn_implementation
        try:
            with torch.random.fork_rng(devices=[]):  # new weights are drawn, only to be replaced
                lower = AutoModel.from_config(  # type: ignore[no-untyped-call]
                    config, attn_implementation=usual, trust_remote_code=False
                )
            missing = lower.load_state_dict(self._model.state_dict(), strict=False, assign=True).missing_keys
            if missing:
                return None
            lower.to(self._device).eval()
            inputs = EncoderInputs(np.full((1, min(8, self.spec.max_length)), self.spec.mask_id, dtype=np.int64))
            whole, part = (self._states(self._run(model, inputs), inputs, layer) for model in (self._model, lower))
        except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
            return None  # not every kind of model can be cut, and all its layers do as well
        return lower if np.allclose(whole, part, rtol=1e-3, atol=1e-3) else None

    def _run(self, model: Any, inputs: EncoderInputs, **wanted: bool) -> Any:
        import torch

        arguments: dict[str, torch.Tensor] = {"input_ids": self._tensor(inputs.input_ids)}
        if inputs.position_ids is not None:
            arguments["position_ids"] = self._tensor(inputs.position_ids)
        if inputs.attention_mask is not None:
            hide = torch.finfo(self._model.dtype).min
            visible = self._tensor(inputs.attention_mask)
            mask = torch.zeros(visible.shape, dtype=self._model.dtype, device=self._device)
            arguments["attention_mask"] = mask.masked_fill(~visible, hide)[:, None]
        if self._sparse_attention is not None:
            # BigBird goes over to full attention at its first short text, and stays there: ask anew for every call.
            model.set_attention_type(self._sparse_attention)
        with torch.inference_mode():
            return model(**arguments, output_hidden_states=True, return_dict=True, **wanted)

    def _states(self, output: Any, inputs: EncoderInputs, layer: int) -> Floats:
        states: Floats = output.hidden_states[layer][:, : inputs.input_ids.shape[1]].float().cpu().numpy()
        return states

    def _tensor(self, array: npt.NDArray[Any]) -> torch.Tensor:
        import torch

        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)


def _silence_libraries() -> None:
    """Switch off the progress bars and notes of the libraries."""
    from transformers.utils import logging as transformers_logging

    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)


def _load(model: str, folder: Path) -> tuple[Any, Any]:
    """The model in evaluation mode, and its tokenizer."""
    from transformers import AutoModel, AutoTokenizer

    _check_tokenizer_libraries(model, folder)
    check_transformers_folder(folder)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        module = AutoModel.from_pretrained(folder, use_safetensors=True, trust_remote_code=False)
    except Exception as error:  # file, JSON and weight errors share no base but Exception
        raise ModelError(
            f"the model '{model}' cannot be loaded: {shorten(' '.join(str(error).split()), 300, placeholder=' …')} "
            "(known models: mderank models; a folder needs config.json, a tokenizer and weights)"
        ) from error
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError(f"the tokenizer of '{model}' gives no character offsets: it needs a tokenizer.json")
    if tokenizer.mask_token_id is None:
        raise ModelError(f"the tokenizer of '{model}' has no mask token, which MDERank needs: choose another encoder")
    if getattr(module.config, "is_encoder_decoder", False) or getattr(module.config, "is_decoder", False):
        raise ModelError(f"'{model}' is not an encoder: choose one such as bert-base-uncased")
    return module.float().eval(), tokenizer


def _check_tokenizer_libraries(model: str, folder: Path) -> None:
    """Name the extra where the tokenizer is a SentencePiece model and the libraries that read it are missing."""
    pieces = sorted(file.name for file in folder.glob("*.model"))
    if not pieces or (folder / "tokenizer.json").is_file():
        return
    try:
        for library in ("sentencepiece", "google.protobuf"):
            import_module(library)
    except ImportError as error:
        raise MissingExtraError(f"the tokenizer of '{model}', {pieces[0]},", "torch") from error


def _spec(model: str, folder: Path, config: Any, tokenizer: Any, backend: Tokenizer, text_prefix: str) -> EncoderSpec:
    """The spec of an encoder, from its configuration and tokenizer."""
    prefix, suffix = special_tokens(backend)
    pad_id = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.mask_token_id
    return EncoderSpec(
        name=model,
        layers=config.num_hidden_layers,
        dimension=config.hidden_size,
        max_length=min(int(tokenizer.model_max_length), _positions(config, _offset(config))),
        mask_id=tokenizer.mask_token_id,
        pad_id=pad_id,
        prefix=(*prefix, *prefix_tokens(backend, text_prefix)),
        suffix=suffix,
        one_pass=False,
        pooling=_pooling(folder),
        text_prefix=text_prefix,
    )


def _offset(config: Any) -> int:
    """How many position embeddings a model of RoBERTa's kind leaves unused."""
    names = ("roberta", "camembert", "xlm-roberta", "mpnet", "longformer")
    return int(config.pad_token_id) + 1 if config.model_type in names else 0


def _positions(config: Any, first: int) -> int:
    """How many tokens have a position."""
    embeddings = int(getattr(config, "max_position_embeddings", None) or 0)
    return embeddings - first if embeddings > 0 else 1_000_000


def _pooling(folder: Path) -> PoolingName:
    """Sentence encoders say so in ``modules.json`` and want the mean; plain ones the paper's maximum."""
    try:
        modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
        return "mean" if any("Pooling" in str(module.get("type", "")) for module in modules) else "max"
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return "max"
