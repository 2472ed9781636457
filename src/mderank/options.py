"""Options of an extraction: one list for the command line, configuration files, HTTP, spaCy, batch and Python.

Each option is one field of `Options`, with its type, range, default and description. Every interface is made from these
fields, and user input of every kind is checked here. The module needs the standard library only, because every start of
the command line imports it.

>>> Options(method="textrank", top_k=5, params={"window": 3}).given()
{'method': 'textrank', 'params': {'window': 3}, 'top_k': 5}
>>> Options(ngrams="1-3", pattern="<NN>")
Traceback (most recent call last):
    ...
mderank.errors.OptionError: pattern and ngrams exclude each other: give one of them
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Literal, Self, get_type_hints

from mderank.errors import OptionError
from mderank.parameters import NGramRange, Param, Parameter, Params, unknown_name
from mderank.seeds import MOST_SEEDS, check_seeds

Section = Literal["Method", "Candidates", "Results"]


@dataclass(frozen=True, kw_only=True)
class OptionInfo(Param):
    """Range, description and use of an option.

    Attributes:
        section: heading of the option in ``--help``.
        argument: the constructor's argument that the option is part of; `None` for options of no constructor.
        cost: factor on the length of a text in the server's limits, if the option is given.
        default_text: what `None` stands for.
        metavar: placeholder of the value in ``--help``.
        short: one-letter flag of the command line.
    """

    none_is_default: ClassVar[bool] = True

    section: Section = "Method"
    argument: str | None = None
    cost: int = 1
    default_text: str | None = None
    metavar: str | None = None
    short: str | None = None


def option(default: Any, description: str, *, argument: str | None = "", **info: Any) -> Any:
    """A field of `Options`.

    Args:
        default: the default value. `None` means the method's own default.
        description: what the option does, in one sentence.
        argument: as in `OptionInfo`; the field's own name if left out.
        **info: further fields of `OptionInfo`.

    Returns:
        The field for a dataclass.
    """
    return field(default=default, metadata={"help": description, "argument": argument, **info})


@dataclass(frozen=True, kw_only=True)
class Options:
    """Settings of an extraction. `None` means the method's own default.

    A new option needs one field here, and an argument of the same name in the constructor of the methods that use it.

    Raises:
        OptionError: if a value has the wrong type or is out of range, or if two options exclude each other.
    """

    method: str = option("fusion", "Ranking method; see 'mderank methods'.", argument=None)
    model: str | None = option(
        None,
        "Encoder: a name, a folder or a Hugging Face id; see 'mderank models'.",
        http=False,
        default_text="minilm-l6",
        metavar="NAME|DIR",
        short="m",
    )
    style: str | None = option(
        None,
        "What counts as a keyphrase, learned by 'mderank tune': a file, or a name that 'mderank styles' lists.",
        http=False,
        metavar="NAME|FILE",
    )
    masking: Literal["all", "once", "highest", "subset"] | None = option(
        None,
        "Occurrences that a candidate hides: all, the first, the one with the largest effect, or only words that "
        "no longer candidate has hidden.",
        default_text="all",
    )
    pooling: Literal["mean", "max", "cls"] | None = option(
        None,
        "How hidden states become an embedding.",
        default_text="as the encoder was trained",
    )
    layer: int | None = option(
        None,
        "Layer whose hidden states are used; negative numbers count from the last.",
        default_text="the last",
        http_ge=-200,
        http_le=200,
    )
    similarity: Literal["cosine", "euclidean"] | None = option(
        None,
        "How embeddings are compared.",
        default_text="cosine",
    )
    exact: bool = option(
        False,
        "Encode every masked variant of the text separately, as the paper does: many times slower.",
        cost=20,
    )
    batch_tokens: int | None = option(
        None,
        "Tokens that the encoder computes at once with exact; the results stay the same.",
        ge=1,
        http=False,
        default_text="4096 on the CPU, 32768 on a GPU",
    )
    max_words: int | None = option(None, "Read only the first N words.", ge=1, http_le=10_000_000)
    max_tokens: int | None = option(
        None,
        "Read only the first N tokens of the encoder, special tokens included.",
        ge=3,
        http_le=10_000_000,
    )
    device: str | None = option(
        None,
        "Device of torch models: cpu, cuda, cuda:1, mps.",
        argument="model",
        http=False,
        metavar="NAME",
    )
    dtype: Literal["float32", "float16", "bfloat16"] | None = option(
        None,
        "Number type of torch models.",
        argument="model",
        http=False,
        default_text="float32",
    )
    precision: Literal["auto", "float32", "int16", "int8"] | None = option(
        None,
        "Number format of products in the bundled model and exported ones. int16 is faster than float32 and ranks "
        "alike; int8 is faster still, and scores differ slightly. auto: what the model was checked for (the bundled "
        "one for int8), where the processor is fast at it.",
        argument="model",
        http=False,
        default_text="auto",
    )
    threads: int | None = option(
        None,
        "Cores per encoder call.",
        argument="model",
        ge=1,
        http=False,
        default_text="all",
    )
    frequencies: str | None = option(
        None,
        "Texts to count frequencies in, or a file of saved frequencies: of documents for tfidf and "
        "attentionrank, of words for sifrank.",
        http=False,
        metavar="PATH",
    )
    params: Params = option(
        Params(),
        "Parameters of this method alone; see 'mderank methods METHOD'.",
        argument=None,
    )
    seed: int | None = option(
        None,
        "Random seed of the method random.",
        default_text="0",
        http_ge=0,
        http_le=2**63 - 1,
    )

    pattern: str | None = option(
        None,
        "Tag pattern of a phrase, such as '<JJ>*<NN.*>'. A pattern that names a tag of function words, as in "
        "'<NN.*>+<IN><NN.*>+', allows stop words with that tag.",
        section="Candidates",
        argument="candidates",
        metavar="TAGS",
        default_text="<NN.*|JJ>*<NN.*>; terms for fusion",
    )
    ngrams: NGramRange | None = option(
        None,
        "Use all n-grams of N to M words as candidates.",
        section="Candidates",
        argument="candidates",
        http_le=5,
        cost=2,
        metavar="N-M",
    )
    phrases: tuple[str, ...] | None = option(
        None,
        "Use only these phrases as candidates.",
        section="Candidates",
        argument="candidates",
        cost=2,
    )
    vocabulary: str | None = option(
        None,
        "Use only the concepts of this vocabulary as candidates, found by any of their labels: a file in SKOS (.rdf, "
        ".ttl, …; needs: pip install 'mderank[skos]'), CSV, JSON, or with one phrase per line (.txt).",
        section="Candidates",
        argument="candidates",
        http=False,
        metavar="FILE",
    )
    match: Literal["variant", "case", "exact"] | None = option(
        None,
        "How listed phrases and labels are found: variant also finds inflections and spellings, in any case but for "
        "short acronyms in capitals (US, WHO); case finds the same words in any case; exact as they are written.",
        section="Candidates",
        argument="candidates",
        default_text="variant",
    )
    max_phrase_words: int | None = option(
        None,
        "Most words of a noun phrase; 0 sets no limit.",
        section="Candidates",
        argument="candidates",
        ge=0,
        http_ge=1,
        http_le=20,
        default_text="8; 7 for fusion",
    )
    stop_words: tuple[str, ...] = option(
        (),
        "Further words that no phrase contains.",
        section="Candidates",
        argument="candidates",
    )
    exclude: tuple[str, ...] = option((), "Phrases that are never returned.", section="Candidates")
    language: str | None = option(
        None,
        "Language of all texts, by code or English name, such as de or german; auto finds out that of each text. A "
        "record's own field 'language' takes precedence.",
        section="Candidates",
        argument="tagger",
        default_text="auto",
        metavar="CODE",
    )
    tagger: str | None = option(
        None,
        "Tagger: encoder is bundled and for English; spacy is spaCy's English pipeline; any other spaCy pipeline by "
        "its name or folder, such as de_core_news_sm. spaCy needs: pip install 'mderank[spacy]'.",
        section="Candidates",
        http=False,
        metavar="NAME",
        default_text="by language: encoder for English, else an installed spaCy pipeline or the words alone",
    )
    tokenizer: Literal["mderank", "spacy"] | None = option(
        None,
        "Words that a spaCy pipeline tags: mderank keeps TCP/IP and 5G whole and follows the layout of plain text; "
        "spacy is the pipeline's own.",
        section="Candidates",
        argument="tagger",
        http=False,
        default_text="mderank for English",
    )

    seeds: tuple[str, ...] = option(
        (),
        "Phrases that pull the ranking towards a topic. They need not be in the text.",
        section="Results",
        http_le=MOST_SEEDS,
        metavar="PHRASES",
    )
    seed_weight: float | None = option(
        None,
        "How much the seeds count: 0 not at all, 1 nothing else.",
        section="Results",
        ge=0,
        le=1,
        default_text="0.5",
    )
    top_k: int = option(
        10,
        "Number of keyphrases per document; 0 returns all.",
        section="Results",
        argument=None,
        ge=0,
        http_le=1000,
        short="k",
    )
    dedupe: Literal["none", "case", "variant", "stem"] | None = option(
        None,
        "Forms that are merged: none, those that differ in case only, also inflections and spellings, or all "
        "with equal stems.",
        section="Results",
        default_text="variant",
    )
    overlap: Literal["none", "little", "any"] | None = option(
        None,
        "Phrases that are part of each other: none is kept beside the better one, little keeps those that say "
        "something of their own, any keeps all.",
        section="Results",
        default_text="any; little for fusion",
    )
    diversity: float | None = option(
        None,
        "Prefer phrases that differ from those before them (MMR): 0 not at all, 1 above all.",
        section="Results",
        ge=0,
        le=1,
    )
    max_sum: int | None = option(
        None,
        "Of the N best phrases, return those that together are least alike.",
        section="Results",
        argument="diversity",
        ge=1,
        http_le=50,
    )
    min_score: float | None = option(None, "Leave out phrases with a lower score.", section="Results")
    min_confidence: float | None = option(
        None, "Leave out phrases that a reader is less likely to accept.", section="Results", ge=0, le=1,
        default_text="0.6 in texts of fewer than 50 words, 0 in longer ones",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for parameter in self.parameters().values():
            object.__setattr__(self, parameter.name, parameter.check(getattr(self, parameter.name)))
        object.__setattr__(self, "seeds", check_seeds(self.seeds))
        self._check_exclusions()

    def _check_exclusions(self) -> None:
        sources = [name for name in ("pattern", "ngrams", "phrases", "vocabulary") if getattr(self, name) is not None]
        if len(sources) > 1:
            raise OptionError(f"{' and '.join(sources)} exclude each other: give one of them")
        listed = [name for name in sources if name in ("phrases", "vocabulary")]
        if self.match is not None and not listed:
            raise OptionError("match is for listed phrases: give phrases or vocabulary too, or leave match out")
        if listed and self.stop_words:
            raise OptionError(f"{listed[0]} and stop_words exclude each other: listed phrases are used as they are")
        if sources in (["ngrams"], ["phrases"], ["vocabulary"]) and self.max_phrase_words:
            raise OptionError(f"{sources[0]} and max_phrase_words exclude each other: that limit is for noun phrases")
        if self.diversity is not None and self.max_sum is not None:
            raise OptionError("diversity and max_sum exclude each other: give one of them")
        if self.max_sum is not None and not 0 < self.top_k <= self.max_sum:
            raise OptionError(
                f"max_sum={self.max_sum} needs a top_k from 1 to {self.max_sum}, not {self.top_k}: make one of them "
                "fit the other"
            )

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return the type, default, range and description of every option.

        Returns:
            The parameters by name, in the order of the fields.
        """
        return _parameters(cls)  # type: ignore[arg-type]  # mypy takes the class for its instance

    @classmethod
    def info(cls, name: str) -> OptionInfo:
        """Return the range, description and use of an option.

        Args:
            name: Name of the option, with underscores.

        Returns:
            The properties of the option.
        """
        found = cls.parameters()[name].param
        assert isinstance(found, OptionInfo)
        return found

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make options from plain values, as in a TOML file or in JSON.

        Args:
            values: options by name, with dashes or underscores. `None` means the default.

        Returns:
            The options.

        Raises:
            OptionError: if an option is unknown or given twice, or if a value does not fit.
        """
        known = cls.parameters()
        chosen: dict[str, Any] = {}
        for key, value in values.items():
            name = key.replace("-", "_")
            if name not in known:
                raise unknown_name("option", key, known)
            if name in chosen:
                raise OptionError(f"the option {name} is given twice: leave one out")
            chosen[name] = known[name].default if value is None else value
        return cls(**chosen)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain values, for JSON; `from_dict` reads them.

        Returns:
            All options by name.
        """
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults.

        Returns:
            The values of these options by name.
        """
        return {
            name: getattr(self, name)
            for name, parameter in self.parameters().items()
            if getattr(self, name) != parameter.default
        }

    def command_line(self) -> str:
        """Return the options that differ from their defaults, as text for ``mderank extract``.

        Returns:
            The arguments of `arguments`, separated by spaces.
        """
        return " ".join(self.arguments())

    def arguments(self, *, without: Collection[str] = ()) -> list[str]:
        """Return the options that differ from their defaults, as arguments of ``mderank extract``.

        Lists of phrases are files on the command line, but for seeds, and are shown as ``FILE``.

        Args:
            without: names of options that are left out.

        Returns:
            The arguments.
        """
        given = ((name, value) for name, value in self.given().items() if name not in without)
        return [part for name, value in given for part in _arguments(name, value)]


def _arguments(name: str, value: Any) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    if isinstance(value, Params):
        return [part for each, setting in value.items() for part in ("--set", f"{each}={setting}")]
    if name == "seeds":
        return [part for seed in value for part in (flag, seed)]
    if isinstance(value, bool):
        return [flag]
    return [flag, "FILE" if isinstance(value, tuple) and not isinstance(value, NGramRange) else str(value)]


@cache
def _parameters(options: type[Options]) -> dict[str, Parameter]:
    hints = get_type_hints(options)
    return {
        each.name: Parameter(
            each.name,
            hints[each.name],
            each.default,
            OptionInfo(**{**each.metadata, "argument": _argument(each.name, each.metadata["argument"])}),
        )
        for each in fields(options)
    }


def _argument(name: str, argument: str | None) -> str | None:
    return name if argument == "" else argument


def _plain(value: Any) -> Any:
    if isinstance(value, NGramRange):
        return str(value)
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Params) else value
