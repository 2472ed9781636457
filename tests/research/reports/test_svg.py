from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from mderank.research.reports.svg import (
    Bar,
    Point,
    ValuePair,
    bar_plot,
    colour,
    pair_plot,
    powers,
    scatter_plot,
    span,
    ticks,
)
from mderank.util.html import escape_text


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(37.2, [0, 10, 20, 30, 40]), (40, [0, 10, 20, 30, 40]), (100, [0, 25, 50, 75, 100]), (0, [0, 1])],
)
def test_ticks(limit, expected):
    assert ticks(limit) == expected


def test_spans_and_powers_hold_what_they_were_made_for():
    assert span(16.2, 28.4) == [15, 20, 25, 30]
    assert span(20, 20)[0] <= 20 <= span(20, 20)[-1]
    assert len(span(0, 0)) >= 2
    assert powers(0.01, 0.01) == [0.01, 0.1]
    assert powers(0.02, 3) == [0.01, 0.1, 1, 10]


def parsed(svg):
    root = ElementTree.fromstring(svg)
    return root, {kind: root.findall(f".//{kind}") for kind in ("rect", "line", "circle", "text", "title", "desc")}


def test_bars_are_to_scale():
    svg = bar_plot("p", "F1 on tiny", "told", [Bar("A", 10, 0, 5, 20), Bar("B", 40, 9)], 40)
    root, parts = parsed(svg)
    # 300 wide with 8 on both sides: 284 for 40.
    assert [(rect.get("x"), rect.get("width")) for rect in parts["rect"]] == [("8", "71"), ("8", "284")]
    errors = [line for line in parts["line"] if line.get("class") == "error"]
    assert (errors[0].get("x1"), errors[0].get("x2")) == ("43.5", "150")
    assert len(errors) == 3
    assert [each.text for each in parts["text"]][-4:] == ["A", "10.00", "B", "40.00"]
    assert [group.get("class") for group in root.findall("g")] == ["c0", "c1"]
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "p-t p-d"
    assert (parts["title"][0].get("id"), parts["title"][0].text) == ("p-t", "F1 on tiny")
    assert (parts["desc"][0].get("id"), parts["desc"][0].text) == ("p-d", "told")
    assert parts["title"][1].text == "A: 10.00 (5.00 to 20.00)"


def test_long_labels_are_cut_but_told_whole():
    label = "a method with a name that is far longer than the plot is wide"
    _, parts = parsed(bar_plot("p", "t", "d", [Bar(label, 1, 0)], 1))
    shown = next(text.text for text in parts["text"] if text.get("class") == "label")
    assert shown.endswith("…")
    assert label.startswith(shown[:-1])
    assert label in parts["title"][1].text


def test_points_are_to_scale():
    _, parts = parsed(scatter_plot("p", "t", "d", [Point("A", 0.1, 10, 0), Point("B", 0.001, 30, 1)], ("s", "F1")))
    (left, low), (right, high) = sorted((float(c.get("cx")), float(c.get("cy"))) for c in parts["circle"])
    assert (left, right) == (46, 466)
    assert low < high  # higher is better, and up


def test_labels_of_near_points_do_not_overlap():
    points = [Point(f"method {n}", 0.1 + n / 1000, 20 + n / 100, n) for n in range(4)]
    _, parts = parsed(scatter_plot("p", "t", "d", points, ("s", "F1")))
    places = [(float(t.get("x")), float(t.get("y"))) for t in parts["text"] if t.get("class") == "label"]
    assert all(abs(a[0] - b[0]) > 50 or abs(a[1] - b[1]) >= 12 for a in places for b in places if a is not b)


def test_hostile_labels():
    hostile = "</text><script>alert(1)</script>&\"'\x00\x1b\ud800"
    for svg in (
        bar_plot(hostile, hostile, hostile, [Bar(hostile, 1, 0, 0, 1)], 1),
        scatter_plot(hostile, hostile, hostile, [Point(hostile, 1, 1, 0)], (hostile, hostile)),
    ):
        root, _ = parsed(svg)
        assert not [each for each in root.iter() if each.tag == "script"]
        assert not re.search(r"[\x00-\x08\x1b]", svg)
    assert escape_text("<\x00\ud800>") == "&lt;\ufffd?&gt;"


def test_colours_begin_again():
    assert colour(0) == colour(8) == "c0"


def test_pairs_have_a_ring_a_dot_and_a_line_between_and_only_those_that_are_known():
    pairs = [ValuePair("a", 10.0, 20.0, 0), ValuePair("b", 30.0, None, 1), ValuePair("c & <d>", None, 40.0, 2)]
    root, found = parsed(pair_plot("p", "Pairs", "in words", pairs, 40.0))
    kinds = [(circle.get("class"), float(circle.get("cx"))) for circle in found["circle"]]
    assert kinds == [("ring", 79), ("point", 150), ("ring", 221), ("point", 292)]
    assert [line.get("class") for line in found["line"]].count("path") == 1
    assert [each.text for each in found["title"]][1:] == ["a: 10.00 → 20.00", "b: 30.00 → ", "c & <d>:  → 40.00"]
    assert root.get("role") == "img"


def test_pairs_grow_with_their_labels_and_cut_only_what_is_far_too_long():
    label, endless = "MDERank(KPEBERT ab), one pass", "x" * 80
    pairs = [ValuePair("a", 1.0, 2.0, 0), ValuePair(label, 10.0, 20.0, 1)]
    root, found = parsed(pair_plot("p", "Pairs", "in words", pairs, 40.0))
    assert label in [each.text for each in found["text"]]
    assert 300 < float(root.get("viewBox").split()[2]) < 360
    root, found = parsed(pair_plot("p", "Pairs", "in words", [ValuePair(endless, 10.0, 20.0, 0)], 40.0))
    assert root.get("viewBox").split()[2] == "360"
    assert [each.text[-2:] for each in found["text"] if each.text.startswith("xxx")] == ["x…"]
    assert f"{endless}: 10.00 → 20.00" in [each.text for each in found["title"]]
