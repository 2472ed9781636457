"""Words that an encoder finds before every text, such as "query: ", because it was trained that way."""

from __future__ import annotations

from pathlib import Path

from mderank.encoding.file_checks import MAX_CONFIG_BYTES
from mderank.errors import OptionError
from mderank.util.files import read_json_object

PROMPTS_FILE = "config_sentence_transformers.json"
LONGEST_PREFIX = 200  # characters


def default_text_prefix(folder: Path) -> str:
    """Read the default prompt of a sentence-transformers model.

    The e5 models name none. They were trained with "query: ", which ``mderank export --prefix`` gives them; keyphrases
    are no better for it (results/README.md).

    Args:
        folder: Folder with the files of the model.

    Returns:
        The words with the space behind them; empty if there are none.
    """
    try:
        config = read_json_object(folder / PROMPTS_FILE, MAX_CONFIG_BYTES)
        prefix = config["prompts"][config["default_prompt_name"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return prefix if isinstance(prefix, str) and len(prefix) <= LONGEST_PREFIX else ""


def check_text_prefix(prefix: str) -> str:
    """Check a prefix that a user names.

    Args:
        prefix: The words.

    Returns:
        The words.

    Raises:
        OptionError: If they are too long.
    """
    if len(prefix) > LONGEST_PREFIX:
        raise OptionError(
            f"the prefix has {len(prefix):,} characters, and at most {LONGEST_PREFIX} are put before a text"
        )
    return prefix
