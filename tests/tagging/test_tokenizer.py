"""Our tokenizer: each kind of word, and what holds for every text."""

from re._constants import MAX_REPEAT, MAXREPEAT, MIN_REPEAT, POSSESSIVE_REPEAT
from re._parser import SubPattern, parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank.tagging import tokenizer
from mderank.tagging.tokenizer import LONGEST_WORD, tokenize


def words(text):
    return [text[word.start : word.end] for word in tokenize(text)]


def kinds(text):
    return [word.kind for word in tokenize(text)]


WHOLE = {
    "word": """TCP/IP A/B I/O HIV/AIDS and/or he/she km/h red/green/blue 5G 4K 3D 3T mp3 H2O COVID-19 F-16 10-year-old
        5-HT 3-D quasi-2-D 4,144-acre 802.11n GPT-3.5-turbo Python3.11 H.264 X.509 AT&T R&D Q&A O'Brien rock'n'roll
        l'Hôpital L'Oréal y'all o'clock 'em C++ C++11 g++ C# F# A* Na+/K+-ATPase Disney+ Ca2+ .NET ASP.NET node.js
        Amazon.com U.S. e.g. i.i.d. Ph.D. M.Sc. U.S.-based graph-based state-of-the-art cost–benefit pre‑war pre‐war
        Alzheimer's-related soft\u00adhyphen ﬁle cafe\u0301 naïve straße İstanbul α-helix 2nd 21st m² 国際連合 ไทย हिन्दी
        5′-UTR w/o n/a""",
    "number": """7 1,000.50 10% $5 €3.5 US$5bn $5M 3.14 .5 -5 −5 12/03/2024 2024-03-12 14:30 10:30am 5pm v5.2.1 1990s
        '80s 1990-2000 5–10 10%-20% 300mg 2.5GHz 90° -5°C 640x480 3×3 1e-5 0x1F 100+ ½ 10² 3:1 1/2""",
    "mark": """( ) [ ] { } " ' “ ” ‘ ’ , ; : ? ! . … ... -- — – - / & % # @ * + = < > | ~ ^ $ € ™ © ° 。 ， &amp; :-) ;)
        😀 👍🏽 👨‍👩‍👧 🇩🇪 ❤️ \u0301 \ufffd""",
    "address": r"""http://example.com/a_(b)?x=1#y https://x.org/ ftp://a.b/c www.example.com john.doe+x@example.co.uk
        J.Doe@Example.COM @handle #hashtag #fridays_for_future :smile: :thumbs_up: /usr/local/bin ./run.sh ~/notes
        ../a/b.txt C:\Windows\x.dll report.pdf data.csv main.c src/main.py a/b/c/d snake_case a_1 __init__ std::vector
        os.path.join docs.python.org .gitignore \alpha 10.1000/xyz123 doi:10.1000/abc""",
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind in WHOLE for text in WHOLE[kind].split()])
def test_one_token(kind, text):
    assert (words(text), kinds(text)) == ([text], [kind])


DIVIDED = """
    Zipf|'s  Zipf|’s  R&D|'s  dogs|'  U.S.|'s  (|SVM|)|'s  1990|'s  let|'s
    do|n't  do|n’t  ca|n't  wo|n't  we|'ll  they|'re  I|'d|'ve  I|'m  DO|N'T  can|not  Can|not  gon|na
    word|--|word  word|—|word  a|-  -|based  pre|-  (|word|)  “|word|”  '|word|'  [|1|]  word|...  word|…  ?|!  (|(
    end|.  end|.|The  1|.|Introduction  energy|.|5  main.c|.  http://x.org/|)|.  x@y.org|,
    a|+|b  n|+  key|=|value  foo|:|bar  f|(|x|)  *|bold|*  _|word|_  **|x|**  <|b|>  #|1  Windows|™  ©|2020  w|/
    \\cite|{|foo|}  好|！  😀|😀  🇩🇪|🇫🇷  C++|.  F#|.  5G|,  10%|.  v5.2.1|.  COVID-19|)  “|U.S.|”
"""


@pytest.mark.parametrize("case", [case for case in DIVIDED.split("  ") if case.strip()])
def test_several_tokens(case):
    expected = case.strip().split("|")
    assert words("".join(expected)) == expected


def test_a_negation_before_a_full_stop():
    assert words("It cannot.") == ["It", "can", "not", "."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Smith of Acme Inc. et al.", "Dr. Smith of Acme Inc. et al."),
        ("J. R. R. Tolkien", "J. R. R. Tolkien"),
        ("the lobster H. gammarus", "the lobster H. gammarus"),
        ("vitamin C. The end.", "vitamin C . The end ."),
        ("vitamin C.", "vitamin C ."),
        ("World War I. Peace", "World War I . Peace"),
        ("Johnson & Johnson", "Johnson & Johnson"),
        ("Berlin - a city", "Berlin - a city"),
        ("a wish 's apart", "a wish 's apart"),
        ("iPhone 15 Pro", "iPhone 15 Pro"),
        ("300 mg aspirin", "300 mg aspirin"),
    ],
)
def test_in_context(text, expected):
    assert words(text) == expected.split()


def test_a_long_run_is_an_address():
    for unit in ("x", "é", "a-", "a/", "1", "ab.", "国"):
        assert set(kinds(unit * 200)) <= {"address", "mark"}, unit
    assert kinds("x" * LONGEST_WORD) == ["word"]
    assert kinds("x" * LONGEST_WORD + "x") == ["address"]
    assert kinds("x" * LONGEST_WORD + "x.") == ["address", "mark"]


ALPHABET = "aZé0-–—/'’.,:;_@#&+*$%°()[]\"\\<>~|=^` \n\t\u00a0\u0301\u00ad\u200d\u200b😀🏽🇩ﬁ国न्\x00²½€…v"
TEXTS = st.one_of(
    st.text(st.sampled_from(ALPHABET), max_size=60),
    st.text(max_size=40),
    st.lists(
        st.sampled_from(
            "don't U.S. www.a http:// x@y.org 3.14 1,000 C++ n't 's J. cannot :-) 10% $5 C:\\ ./a a_b Ph.D.".split()
        ),
        max_size=8,
    ).map("".join),
)


@given(TEXTS)
def test_tokens_are_in_order_and_leave_out_white_space_only(text):
    position = 0
    for word in tokenize(text):
        assert text[position : word.start].strip() == ""
        assert word.start < word.end
        assert not any(character.isspace() for character in text[word.start : word.end])
        position = word.end
    assert text[position:].strip() == ""


@given(TEXTS)
def test_words_have_a_letter_or_digit_and_are_not_long(text):
    for word in tokenize(text):
        if word.kind in ("word", "number"):
            assert any(character.isalnum() for character in text[word.start : word.end])
        if word.kind == "word":
            assert word.end - word.start <= LONGEST_WORD


@given(TEXTS, TEXTS, TEXTS)
def test_a_slice_is_read_as_if_it_were_alone(before, text, after):
    whole = f"{before} {text}\n{after}"
    start, end = len(before) + 1, len(before) + 1 + len(text)
    alone = [word._replace(start=word.start + start, end=word.end + start) for word in tokenize(text)]
    assert tokenize(whole, start, end) == alone


def test_nothing():
    assert tokenize("") == tokenize(" \n\t\u00a0") == tokenize("word", 4) == tokenize("word", 2, 2) == []


UNITS = """
    ( [ ' " ` 😀 🇩 a- a/ a. A. a' a_ a& a+ a@ a@a. a:: a.b 1 1, 1. 1/ 1- 1: 1x 1e 1%- $1 -1 v1. 0x . .. .a .net @ # #a _
    __a : :a :a: :) http:// http://( http://. www. / /a /. // ./ ~/a \\ \\a C:\\ & &a; n't 's can cannot J. Ph.D M.Sc
    10.1000/ 10.1000/. doi: -- --a < % C++ C++1 \u0301 e\u0301 \u00ad \u200d 👩\u200d
""".split()


@pytest.mark.slow
@pytest.mark.parametrize("tail", ["", "!", "a", "1", " "])
@pytest.mark.parametrize("unit", UNITS)
def test_a_token_depends_on_what_is_near(unit, tail):
    """What stands further behind a token than the longest bound of the expression cannot have been looked at for it."""
    near = 2_500  # characters; a URL is bounded by 2,000
    text = unit * (10_000 // len(unit)) + tail
    tokens = tokenize(text)
    settled = [word for word in tokens if word.end + near <= 5_000]
    assert tokenize(text[:5_000])[: len(settled)] == settled
    assert settled or max(word.end - word.start for word in tokens) > 2_000


def test_repetitions_are_bounded_or_give_nothing_back():
    """So a token's match takes time that grows with the token's length plus a constant."""
    found = [each for pattern in (tokenizer._TOKEN, tokenizer._FOLLOWING) for each in _repetitions(pattern)]
    assert {kind for kind, most in found if most == MAXREPEAT} == {POSSESSIVE_REPEAT}
    assert max(most for kind, most in found if kind is MAX_REPEAT) == 2_000


def _repetitions(pattern):
    """The kind and the bound of every repetition in a regular expression."""
    waiting = [parse(pattern.pattern, pattern.flags)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, SubPattern):
            for operation, argument in node:
                if operation in (MAX_REPEAT, MIN_REPEAT, POSSESSIVE_REPEAT):
                    yield operation, argument[1]
                waiting.append(argument)
        elif isinstance(node, list | tuple):
            waiting.extend(node)
