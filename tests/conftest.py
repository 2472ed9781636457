"""What the tests share: where data and models are, and tiny random encoders built on the spot."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import settings

from mderank.cli import cli

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # before Haystack is imported
settings.register_profile("mderank", deadline=None)  # no test times anything
settings.load_profile("mderank")

ROOT = Path(__file__).parent.parent

TEXT = (
    "Coral reefs protect the coast from storms. Warm water bleaches coral, and bleached reefs lose their fish. "
    "Marine reserves let the reefs recover, where fishing stops and the water stays cool."
)


@pytest.fixture(scope="session", autouse=True)
def _models_are_loaded_once() -> Iterator[None]:
    """Share the sessions of the bundled encoder, and one English pipeline, among all tests of a run.

    The first test that needs one loads it as users do. Other models, and subprocesses, load their own.
    """
    from mderank.encoding import BUNDLED_MODEL_FOLDER, onnx
    from mderank.tagging import spacy

    start, load = onnx.OnnxEncoder._load, spacy._load
    sessions: dict[Any, Any] = {}
    pipelines: dict[Any, Any] = {}

    def start_once(encoder: Any, layer: int, blocks: bool) -> Any:
        if encoder.folder != BUNDLED_MODEL_FOLDER:
            return start(encoder, layer, blocks)
        key = (layer, blocks, encoder.precision, encoder._threads, onnx._allowed_cores())
        if key not in sessions:
            sessions[key] = start(encoder, layer, blocks)
        return sessions[key]

    def load_once(pipeline: Any) -> Any:
        if pipeline is not None:
            return load(pipeline)
        key = spacy.ENGLISH_PIPELINES
        if key not in pipelines:
            pipelines[key] = load(pipeline)
        return pipelines[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx.OnnxEncoder, "_load", start_once)
        patch.setattr(spacy, "_load", load_once)
        yield


@pytest.fixture(scope="session")
def data_dir() -> Path:
    folder = Path(os.environ.get("MDERANK_DATA_DIR", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no benchmark data in {folder}: set MDERANK_DATA_DIR")
    return folder


@pytest.fixture(scope="session")
def model_folder() -> Callable[[str], Path]:
    """A function from the name of a downloaded encoder to its folder; skips the test where it is absent."""
    folder = Path(os.environ.get("MDERANK_MODELS_DIR", ROOT / ".models"))

    def find(name: str) -> Path:
        if not (folder / name / "config.json").is_file():
            pytest.skip(f"no encoder in {folder / name}: set MDERANK_MODELS_DIR")
        return folder / name

    return find


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A function from a kind (``bert``, ``roberta``, …) to the folder of a tiny random encoder of that kind."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    torch.set_num_threads(1)  # on tensors this small, threads only wait for each other
    folders: dict[str, Path] = {}

    def build(kind: str) -> Path:
        if kind not in folders:
            folder = tmp_path_factory.mktemp(kind)
            tokenizer = _TOKENIZERS[kind]() if kind in _TOKENIZERS else _word_pieces(kind)
            tokenizer.save_pretrained(folder)
            torch.manual_seed(7)
            _tiny(kind, len(tokenizer)).save_pretrained(folder)
            folders[kind] = folder
        return folders[kind]

    return build


def _tiny(kind: str, vocabulary: int) -> Any:
    """A random encoder whose weights are large enough for every token to matter."""
    import transformers

    common: dict[str, Any] = {
        "vocab_size": vocabulary,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_attention_heads": 2,
        "num_hidden_layers": 2,
        "max_position_embeddings": 66,
        "initializer_range": 0.5,
        "pad_token_id": 0,
    }
    make: dict[str, Callable[[], Any]] = {
        "bert": lambda: transformers.BertModel(transformers.BertConfig(**common)),
        # As long as the paper's encoder: its 512 word pieces are one window.
        "bert-512": lambda: transformers.BertModel(
            transformers.BertConfig(**{**common, "max_position_embeddings": 512})
        ),
        "electra": lambda: transformers.ElectraModel(transformers.ElectraConfig(**common, embedding_size=8)),
        "roberta": lambda: transformers.RobertaModel(transformers.RobertaConfig(**{**common, "pad_token_id": 1})),
        "xlm-roberta": lambda: transformers.XLMRobertaModel(
            transformers.XLMRobertaConfig(**{**common, "pad_token_id": 1, "max_position_embeddings": 68})
        ),
        # A BERT that reads as XLM-R does; its positions begin at 0, and its padding is not its first token.
        "multilingual": lambda: transformers.BertModel(transformers.BertConfig(**common)),
        "mpnet": lambda: transformers.MPNetModel(transformers.MPNetConfig(**{**common, "pad_token_id": 1})),
        "distilbert": lambda: transformers.DistilBertModel(
            transformers.DistilBertConfig(
                vocab_size=vocabulary,
                dim=16,
                hidden_dim=32,
                n_heads=2,
                n_layers=2,
                max_position_embeddings=66,
                initializer_range=0.5,
            )
        ),
        "bigbird": lambda: transformers.BigBirdModel(
            transformers.BigBirdConfig(
                **{**common, "max_position_embeddings": 256},
                attention_type="block_sparse",
                block_size=4,
                num_random_blocks=1,
            )
        ),
    }
    return make[kind]().eval()


WORDS = [*sorted({word.strip(".,").lower() for word in TEXT.split()}), "committee", "harbours", "salt", "winter"]
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]


def _word_pieces(kind: str) -> Any:
    """BERT's way of cutting words, with a small vocabulary of words and letters."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    # MPNet's padding comes second.
    special = ["[CLS]", "[PAD]"] if kind == "mpnet" else ["[PAD]", "[CLS]"]
    entries = [*special, "[SEP]", "[UNK]", "[MASK]", ".", ",", *LETTERS, *("##" + letter for letter in LETTERS), *WORDS]
    vocabulary = {entry: index for index, entry in enumerate(dict.fromkeys(entries))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        unk_token="[UNK]",
        mask_token="[MASK]",
    )


def _byte_pairs() -> Any:
    """RoBERTa's way of cutting words: bytes, of which some are merged."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([TEXT], trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        sep_token="</s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
    )


def _unigrams() -> Any:
    """XLM-R's way of cutting words: SentencePiece's, where a mark at the beginning of a word stands for the space."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    letters = [*LETTERS, *"éàçãõ«»’'日本語テスト.,:"]
    words = ["▁" + word for word in (*WORDS, "query")]
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *dict.fromkeys((*words, "▁", *letters)), "<mask>"]
    scored = [(piece, -1.0 if piece.startswith("▁") else -4.0) for piece in pieces]
    tokenizer = Tokenizer(models.Unigram(scored, unk_id=3))
    spaces = normalizers.Replace(Regex(r"\s+"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase(), spaces])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        sep_token="</s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
    )


_TOKENIZERS = {"roberta": _byte_pairs, "xlm-roberta": _unigrams, "multilingual": _unigrams}


@pytest.fixture(scope="session")
def text() -> str:
    """A short English text, made of words that the tiny encoders know."""
    return TEXT


@pytest.fixture
def run() -> Callable[..., Result]:
    """Runs the command line in this process; standard output and standard error apart."""

    def invoke(*arguments: object, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=stdin)

    return invoke


@pytest.fixture
def example() -> Path:
    """The example text of the documentation."""
    return ROOT / "examples" / "tides.txt"
