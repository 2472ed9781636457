"""Everything that can go wrong, as one tree.

    MDERankError
    ├── InputError            a text, file or line that cannot be read or decoded
    ├── OptionError           an option that is unknown, out of range, or excludes another
    ├── ModelError            a model or spaCy pipeline that cannot be found, read or used
    ├── TrainingError         a training run that cannot go on
    ├── BatchError            a run over many documents that cannot go on
    └── MissingExtraError     a part of mderank whose extra is not installed

Every message names what was wrong with which input, and the command or option that puts it right.

Warnings (``MDERankWarning`` and its children) say what still gave a result, but perhaps not the expected one.
"""

from __future__ import annotations


class MDERankError(Exception):
    """The root of every error that mderank raises on purpose."""


class InputError(MDERankError):
    """A text, file or line that cannot be read or decoded."""


class OptionError(MDERankError, ValueError):
    """An option that is unknown, out of range, or excludes another."""


class ModelError(MDERankError):
    """A model or tagging pipeline that cannot be found, read or used."""


class TrainingError(MDERankError):
    """A training run that cannot go on."""


class BatchError(MDERankError):
    """A run over many documents that cannot go on: its workers, its output, its settings."""


class MissingExtraError(MDERankError, ImportError):
    """A part of mderank whose extra is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'mderank[{extra}]'")
        self.what, self.extra = what, extra

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        """Sent to another process, it is made from its parts again."""
        return type(self), (self.what, self.extra)


class MDERankWarning(UserWarning):
    """The root of mderank's warnings."""


class LanguageWarning(MDERankWarning):
    """The text is plainly not in the language of the tagging pipeline."""


class ExactFallbackWarning(MDERankWarning):
    """The encoder cannot do one-pass masking, so every masked variant is encoded whole."""


class WeightsConvertedWarning(MDERankWarning):
    """The model has pickled weights only, which were converted to safetensors and stored for the next time."""
