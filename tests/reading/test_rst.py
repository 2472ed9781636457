"""reStructuredText: prose keeps its place, markup becomes spaces."""

from __future__ import annotations

import pytest

from mderank.reading.rst import blank_rst


@pytest.mark.parametrize(
    ("source", "prose"),
    [
        ("Tides\n=====\n\n.. _tides:\n\n-----\n", "Tides"),
        ("=====\nTides\n=====\n", "Tides"),
        ("*storm* **surge** ``gauge`` `term`", "storm surge gauge term"),
        ("2 * 3 * 4 and a*b*c", "2 * 3 * 4 and a*b*c"),
        ("snake_case, a_ link_ and `two words`_, `more`__", "snake_case, a link and two words , more"),
        (":class:`~reef.Coral` and :py:func:`feed`", "reef.Coral and feed"),
        (":doc:`the guide </guide>` but not :doc:`/guide`.", "the guide but not ,       ."),
        ("energy :math:`e = mc^2` here [1]_ [Lee99]_", "energy , here , ,"),
        ("`the reef <https://reef.example/a_b>`_ at https://reef.example/x", "the reef at ,"),
        ("the |project| release", "the , release"),
        (".. a comment\n   that goes on\n\nReefs", "Reefs"),
        ("..\n\n   A quotation.", "A quotation."),
        (".. |x| image:: y.png\n.. __: https://a.b\n.. [1] A note.\n.. [2]\n   Another.", "A note. Another."),
        (".. note:: Be quick.\n   And careful.\n\n   * Always\n", "Be quick.\n And careful.\n Always"),
        (".. figure:: a.png\n   :alt: no\n\n   The caption.\n", "The caption."),
        (".. versionadded:: 1.2 The reef.", "The reef."),
        (".. code-block:: python\n   :linenos:\n\n   x = 1\n\n   y = 2\n\nReefs", "Reefs"),
        ("For example::\n\n    x = 1\n\n    y = 2\n\nReefs", "For example::\nReefs"),
        ("- For example::\n\n      x = 1\n\n  Reefs\n", "For example::\nReefs"),
        ("a::b\n   c", "a::b\n c"),
        (">>> x = 1\n>>> x\n1\n\nReefs", "Reefs"),
        (":Author: Ann\n:Abstract: Reefs\n:param x: the reef", "Reefs\nthe reef"),
        ("1. one\n#. two\n(3) three\n- four\n| five", "one\ntwo\nthree\nfour\nfive"),
        ("=====  =====\nreef   fish\n=====  =====\n", "reef fish"),
        ("+---+---+\n| a | b |\n+===+===+\n| c | d |\n+---+---+", "| a | b |\n| c | d |"),
        (r"\*not\* a\ s", "*not * a s"),
    ],
)
def test_what_is_prose(source, prose):
    blanked = blank_rst(source)
    assert len(blanked) == len(source)
    assert [index for index, character in enumerate(source) if character == "\n"] == [
        index for index, character in enumerate(blanked) if character == "\n"
    ]
    assert blanked.split() == prose.split()


def test_words_stay_where_they_are():
    source = ".. note:: *Storm* surges\n\n   See :ref:`the reef <reef>`."
    blanked = blank_rst(source)
    for word in ("Storm", "surges", "See", "the reef"):
        assert blanked.index(word) == source.index(word)


@pytest.mark.parametrize(
    "text",
    [
        "`" * 100_000, "*a " * 50_000,
        "|a" * 50_000, "[a" * 50_000, ":a:" * 50_000, "=" * 100_000 + "x", "a::\n\n" * 20_000,
        ".. a::\n" * 20_000, "`a <" * 30_000, "a_" * 50_000, ":math:`" * 20_000, " " * 100_000 + ".. x", "_" * 100_000,
    ],
)  # fmt: skip
def test_hostile_sources_are_read_at_once(text):
    assert len(blank_rst(text)) == len(text)
