"""Vocabularies in JSON: a list of concepts, or a mapping of labels to their synonyms.

[{"id": "t1", "label": "tide gauge", "synonyms": ["mareograph"]}]
[{"id": "t1", "label": {"en": "tide gauge", "de": "Pegel"}, "synonyms": {"en": ["mareograph"]}}]
{"tide gauge": ["mareograph"]}
{"t1": {"label": "tide gauge"}}
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from mderank.candidates import Vocabulary
from mderank.candidates.vocabulary import LabelKind
from mderank.errors import InputError
from mderank.reading.limits import list_names
from mderank.util.format import json_text
from mderank.vocabularies.collector import Collector, is_deprecated

_KINDS: dict[str, LabelKind] = {
    "label": "preferred",
    "preferred": "preferred",
    "prefLabel": "preferred",
    "synonyms": "alternative",
    "alternative": "alternative",
    "altLabel": "alternative",
    "hidden": "hidden",
    "hiddenLabel": "hidden",
}
_IDS = ("id", "uri")


def read_json(text: str, collector: Collector) -> None:
    """Read concepts from JSON.

    Args:
        text: The text of the file.
        collector: Takes the concepts.

    Raises:
        InputError: If it is not JSON, or not a list or a mapping of concepts.
    """
    content = _parse(text, "this file")
    if isinstance(content, dict) and ("@context" in content or "@graph" in content):
        raise InputError("this is JSON-LD: call the file .jsonld")
    if isinstance(content, list):
        for number, each in enumerate(content, start=1):
            _add(each, None, f"concept {number:,}", collector)
    elif isinstance(content, dict):
        for name, each in content.items():
            where = f"concept '{name[:40]}'"
            if isinstance(each, list):
                _add({"label": name, "synonyms": each}, name, where, collector)
            else:
                _add({"label": each} if isinstance(each, str) else each, name, where, collector)
    else:
        raise InputError('this JSON is neither a list nor a mapping: write [{"id": …, "label": …, "synonyms": […]}]')


def read_json_lines(text: str, collector: Collector) -> None:
    """Read concepts from JSON lines, one per line.

    Args:
        text: The text of the file.
        collector: Takes the concepts.

    Raises:
        InputError: If a line is not JSON, or not a concept.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            _add(_parse(line, f"line {number:,}"), None, f"line {number:,}", collector)


def vocabulary_json(vocabulary: Vocabulary) -> str:
    """Write a vocabulary as JSON, one concept per line. It is read many times faster than SKOS.

    Args:
        vocabulary: The vocabulary.

    Returns:
        The text of a ``.json`` file, the same for the same vocabulary.
    """
    lines = []
    for concept in vocabulary.concepts:
        fields: dict[str, Any] = {"id": concept.id, "label": dict(concept.preferred)}
        for name, labels in (("synonyms", concept.alternative), ("hidden", concept.hidden)):
            if labels:
                fields[name] = {language: list(texts) for language, texts in labels.items()}
        lines.append(json_text(fields))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_make_object)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"{where} is not JSON ({reason})") from error


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two fields with one name, Python's reader would silently drop the first."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InputError(f"an object has the name '{twice[:40]}' several times: join the values in one list")
    return made


def _add(concept: Any, name: str | None, where: str, collector: Collector) -> None:
    if isinstance(concept, str):
        concept = {"label": concept}
    if not isinstance(concept, dict):
        raise InputError(f"{where} is neither a text nor an object: write " + '{"id": …, "label": …, "synonyms": […]}')
    unknown = [key for key in concept if key not in _KINDS and key not in (*_IDS, "language", "deprecated")]
    if not any(key in _KINDS for key in concept):
        raise InputError(
            f"{where} has no label; it has {list_names(unknown)}: name its fields id, label, synonyms, language"
        )
    for key in unknown:
        collector.leave_unused(key)
    language = concept.get("language") or ""
    if not isinstance(language, str):
        raise InputError(f'{where}: language is not a text: write a code such as "en"')
    labels = [
        (_KINDS[key], tag or language, text)
        for key, value in concept.items()
        if key in _KINDS
        for tag, text in _texts(value, f"{where}: {key}")
    ]
    identity = next((concept[key] for key in _IDS if key in concept), name)
    if identity is None:
        identity = next((text for kind, _, text in labels if kind == "preferred" and text.strip()), None)
    if isinstance(identity, int) and not isinstance(identity, bool):
        identity = str(identity)
    if not isinstance(identity, str) or not identity.strip():
        raise InputError(f"{where} has no id that is a text or a number, and no label to take for it")
    identity = " ".join(identity.split())
    collector.add(identity)
    if is_deprecated(concept.get("deprecated"), where):
        collector.deprecate(identity)
    for kind, tag, text in labels:
        collector.label(identity, kind, text, tag)


def _texts(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """The texts of a field, each with its language: a text, a list of texts, or either of these by language."""
    for tag, some in value.items() if isinstance(value, dict) else (("", value),):
        for text in some if isinstance(some, list) else () if some is None else (some,):
            if not isinstance(text, str):
                raise InputError(f"{where} is neither a text nor a list of texts")
            yield tag, text
