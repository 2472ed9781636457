import pytest

from mderank.languages import LANGUAGES, detect_language


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "kubernetes docker helm",
        "x = y + z; f(x) = 0; α, β",
        "12 345 67",
        "ERROR 404",
        "\ud800\ud800",
        "a" * 10_000,
    ],
)
def test_in_doubt_it_is_english(text):
    detected = detect_language(text)
    assert detected.code == "en"
    assert detected.certainty <= 0.5


def test_a_header_does_not_decide():
    header = "This is the home page of the institute. You can also read it in other languages. " * 3
    text = "Die Bedeutung eines Dokuments ist nicht die Summe der Wörter, und das gilt auch für den Titel. " * 20
    assert detect_language(header + text).code == "de"


def test_codes_are_those_of_the_table():
    assert detect_language("Η θάλασσα είναι σήμερα πολύ ήρεμη.").code in LANGUAGES
