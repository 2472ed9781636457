"""Styles: what one group of people takes for a keyphrase, learned from documents that they labelled.

Indexers choose long terms, authors four keywords, readers short tags. A style holds the weights of the features of
`FusionRank`, how much phrases may overlap, and from which score on a phrase is given. ``mderank tune`` learns a style
and writes it as a JSON file. Some styles are part of mderank; `ready_made` lists them.

>>> load_style("terms").overlap
'little'
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from mderank.errors import InputError, OptionError
from mderank.util.format import json_text

FORMAT = "mderank style"
VERSION = 1  # of the file and of the features: weights are worth nothing for features that are computed otherwise
_FOLDER = Path(__file__).parent / "styles"
_MOST_BYTES = 20_000_000  # a style is a few kilobytes; labels of 100,000 documents are a few megabytes
_OVERLAPS = ("none", "little", "any")


@dataclass(frozen=True)
class StyleConfidence:
    """Chance that those who labelled the documents would choose a phrase: σ(slope · score + level).

    Attributes:
        slope: Factor of the score.
        level: Constant.
    """

    slope: float
    level: float


@dataclass(frozen=True)
class Style:
    """A learned style of `FusionRank`.

    Attributes:
        name: Its name.
        weights: Weight of each feature, by name; the score of a phrase is the sum of weighted features.
        overlap: How much keyphrases may overlap.
        min_score: Score from which on a phrase is given, so that there are about as many as in the labels. The best
            phrase is always given.
        labels: Labels of the training documents, as stems, with the number of documents that have them.
        confidence: How scores become chances; None if that is not known.
        preferences: What the style prefers, in words.
        encoder: Name of the encoder that the weights belong to.
        encoder_sha256: Checksum of its weights; None if it has no files.
        learned_from: Where the labels come from: name, number of documents, and others.
        figures: Measured gain, in per cent.
    """

    name: str
    weights: Mapping[str, float]
    overlap: Literal["none", "little", "any"] = "little"
    min_score: float | None = None
    labels: Mapping[str, int] = field(default_factory=dict)
    confidence: StyleConfidence | None = None
    preferences: tuple[str, ...] = ()
    encoder: str = ""
    encoder_sha256: str | None = None
    learned_from: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the style as JSON, the same bytes for the same style.

        Returns:
            The text of a style file.
        """
        plain = {"format": FORMAT, "version": VERSION, **asdict(self)}
        return json_text(plain, 1, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str, source: str) -> Style:
        """Read a style.

        Args:
            text: The text of a style file.
            source: Name of the file, for errors.

        Returns:
            The style.

        Raises:
            InputError: If the text is not a style, or one of another version of mderank.
        """
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{source} is not a style: it is not JSON ({error}); mderank tune writes styles"
            ) from error
        if not isinstance(plain, dict) or plain.pop("format", None) != FORMAT:
            raise InputError(f"{source} is not a style: mderank tune writes styles")
        version = plain.pop("version", None)
        if version != VERSION:
            raise InputError(
                f"{source} is a style of version {version!r}, and this mderank reads version {VERSION}: "
                "learn it again with mderank tune"
            )
        return _checked(plain, source)


def _checked(plain: dict[str, Any], source: str) -> Style:
    """Make a style of plain data, with the right types."""
    known = {each.name for each in fields(Style)}
    wrong = next((name for name in plain if name not in known), None)
    if wrong is not None or not {"name", "weights"} <= plain.keys():
        raise InputError(f"{source} is not a whole style ({wrong or 'name or weights'}): learn it again (mderank tune)")
    confidence = plain.get("confidence")
    faults = [
        ("name", isinstance(plain["name"], str)),
        ("weights", _numbers(plain["weights"])),
        ("overlap", plain.get("overlap", "little") in _OVERLAPS),
        ("min_score", plain.get("min_score") is None or _number(plain["min_score"])),
        ("labels", _numbers(plain.get("labels", {}))),
        ("confidence", confidence is None or (_numbers(confidence) and set(confidence) == {"slope", "level"})),
        ("preferences", isinstance(plain.get("preferences", []), list)),
        ("encoder", isinstance(plain.get("encoder", ""), str)),
    ]
    damaged = [name for name, right in faults if not right]
    if damaged:
        raise InputError(f"{source}: '{damaged[0]}' of this style is damaged: learn it again (mderank tune)")
    return Style(
        **{
            **plain,
            "confidence": None if confidence is None else StyleConfidence(**confidence),
            "preferences": tuple(map(str, plain.get("preferences", ()))),
        }
    )


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _numbers(value: object) -> bool:
    return isinstance(value, dict) and all(map(_number, value.values()))


def ready_made() -> tuple[str, ...]:
    """List the styles that are part of mderank.

    Returns:
        Their names.
    """
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.json")))


def style_file(name_or_path: str | Path) -> Path:
    """Return the file of a style.

    Args:
        name_or_path: The name of a style that is part of mderank, or a path.

    Returns:
        The file, which need not exist.
    """
    return _FOLDER / f"{name_or_path}.json" if str(name_or_path) in ready_made() else Path(name_or_path)


def load_style(name_or_path: str | Path) -> Style:
    """Load a style.

    Args:
        name_or_path: The name of a style that is part of mderank, or a file of ``mderank tune``.

    Returns:
        The style.

    Raises:
        InputError: If the file is not a style, or one of another version.
        OptionError: If there is neither such a style nor such a file.
    """
    file = style_file(name_or_path)
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise InputError(
                f"{file} is not a style: it has more than {_MOST_BYTES:,} bytes; mderank tune writes styles"
            )
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise OptionError(
            f"the style '{name_or_path}' is unknown: it is one of {', '.join(ready_made())}, or a file that mderank "
            "tune wrote"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the style {file} cannot be read: {error}") from error
    return Style.from_json(text, str(file))
