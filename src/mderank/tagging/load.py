"""`load_tagger`: from the name of a tagger, or a spaCy pipeline, to a tagger."""

from __future__ import annotations

from mderank.errors import OptionError
from mderank.tagging.base import Tagger
from mderank.tagging.encoder_tagger import EncoderTagger
from mderank.tagging.language_tagger import AUTO, LanguageTagger
from mderank.tagging.spacy import SpacyPipeline, SpacyTagger, Tokenizer

ENCODER, SPACY = "encoder", "spacy"  # names of taggers; every other name is that of a spaCy pipeline


def load_tagger(
    tagger: str | Tagger | SpacyPipeline | None = None,
    *,
    tokenizer: Tokenizer | None = None,
    language: str | None = None,
) -> Tagger:
    """Load a tagger. Its files are read when the first text is tagged.

    Args:
        tagger: ``"encoder"`` for the bundled tagger of English, ``"spacy"`` for the English spaCy pipeline that is
            installed, the name or folder of a spaCy pipeline, a loaded one, or a tagger. None takes what is there for
            the language of each text, or ``"spacy"`` with spaCy's tokenizer.
        tokenizer: The words that a spaCy pipeline tags; see `SpacyTagger`.
        language: The language of all texts, by code or English name, or ``"auto"``, where no tagger is named. None
            means ``"auto"``.

    Returns:
        The tagger.

    Raises:
        OptionError: If the tokenizer or the language is unknown, or does not suit the tagger.
    """
    if language is not None and (tagger is not None or tokenizer == "spacy"):
        raise OptionError("a tagger has its own language: leave language out, or name no tagger")
    if isinstance(tagger, Tagger):
        return tagger
    if tagger is None and tokenizer != "spacy":
        return LanguageTagger(language or AUTO)
    if is_bundled(tagger, tokenizer):
        if tokenizer == "spacy":
            raise OptionError("tokenizer 'spacy' is for taggers of spaCy: leave it out, or name the tagger 'spacy'")
        return EncoderTagger()
    return SpacyTagger(None if tagger == SPACY else tagger, tokenizer=tokenizer)


def is_bundled(tagger: str | SpacyPipeline | None, tokenizer: str | None = None) -> bool:
    """Check whether English texts are tagged by the bundled tagger.

    Args:
        tagger: As for `load_tagger`.
        tokenizer: As for `load_tagger`.

    Returns:
        True for the bundled tagger, False for one of spaCy.
    """
    return tagger == ENCODER or (tagger is None and tokenizer != "spacy")


def is_english_spacy(tagger: str | SpacyPipeline | None, tokenizer: str | None = None) -> bool:
    """Check whether options name spaCy's English pipeline without saying which.

    Args:
        tagger: As for `load_tagger`.
        tokenizer: As for `load_tagger`.

    Returns:
        True for that pipeline.
    """
    return tagger == SPACY or (tagger is None and tokenizer == "spacy")
