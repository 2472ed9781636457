import difflib
import pickle
import pydoc
import subprocess
import sys

import pytest
from tests.snapshot import FILE, snapshot

import mderank
from mderank import Extractor, Keyphrases, MDERank, MissingExtraError
from mderank.testing import FakeEncoder, FakeTagger


def run(code: str) -> str:
    """What a new Python prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_the_public_interface_is_the_one_that_was_promised():
    """Names, signatures and options of commands; the difference shows what users would notice."""
    promised = FILE.read_text(encoding="utf-8")
    changes = difflib.unified_diff(promised.splitlines(), snapshot().splitlines(), "promised", "now", lineterm="")
    difference = "\n".join(changes)
    assert not difference, f"if this is meant: python tests/snapshot.py --write, and CHANGELOG.md\n{difference}"


def test_the_public_names_are_listed():
    assert dir(mderank) == sorted(mderank.__all__)


def test_the_shortest_way_comes_first():
    assert mderank.__all__[:3] == ["extract", "read", "FusionRank"]
    first_page = pydoc.render_doc(mderank, renderer=pydoc.plaintext).partition("PACKAGE CONTENTS")[0]
    names = ["extract ", "FusionRank ", "read ", "MDERank "]
    places = [first_page.index(f"\n        {name}") for name in names]
    assert places == sorted(places)


@pytest.mark.parametrize("name", mderank.__all__)
def test_every_public_name_is_there(name):
    assert getattr(mderank, name) is not None


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'Summarizer'"):
        _ = mderank.Summarizer


def test_importing_is_light():
    heavy = "('torch', 'transformers', 'spacy', 'onnxruntime', 'tokenizers')"
    assert run(f"import sys, mderank; print([name for name in {heavy} if name in sys.modules])") == "[]"


@pytest.mark.slow
def test_extracting_needs_no_torch():
    code = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = sys.modules['onnx'] = None\n"
        "from mderank import MDERank\n"
        "print(MDERank().extract('Coral reefs feed fish. Warm water harms coral reefs.', 1)[0].text)"
    )
    assert run(code) == "Coral reefs"


@pytest.mark.slow
def test_the_command_line_needs_neither_spacy_nor_torch(tmp_path):
    file = tmp_path / "reef.txt"
    file.write_text("Coral reefs feed fish. Warm water harms coral reefs.", encoding="utf-8")
    code = (
        "import sys\n"
        "for name in ('spacy', 'thinc', 'torch', 'transformers', 'onnx'): sys.modules[name] = None\n"
        "from mderank.cli import cli\n"
        f"cli(['extract', {str(file)!r}, '-k', '1', '-f', 'csv'], standalone_mode=False)"
    )
    assert "Coral reefs" in run(code)


@pytest.mark.slow
def test_spacy_is_not_imported_where_it_is_installed():
    code = (
        "import sys\n"
        "from mderank import FusionRank\n"
        "found = FusionRank().extract('Coral reefs feed fish. Warm water harms coral reefs.', 1)[0].text\n"
        "print(found, [name for name in ('spacy', 'thinc', 'torch', 'transformers') if name in sys.modules])"
    )
    assert run(code) == "Coral reefs []"


def test_mderank_is_an_extractor():
    assert isinstance(MDERank(FakeEncoder(), tagger=FakeTagger()), Extractor)


def test_a_pickled_extractor_gives_the_same(text):
    extractor = MDERank(exclude=["coast"], diversity=mderank.MMR(diversity=0.3))
    before = extractor.extract(text)
    assert pickle.loads(pickle.dumps(extractor)).extract(text) == before


def test_a_result_and_its_notes_can_be_pickled(text):
    extractor = MDERank(
        FakeEncoder(), tagger=FakeTagger(), candidates=mderank.PhraseList(["reefs", "whale"]), max_words=5
    )
    keyphrases = extractor.extract(text)
    copy = pickle.loads(pickle.dumps(keyphrases))
    assert (copy, copy.missing_phrases, copy.truncated) == (keyphrases, ("whale",), keyphrases.truncated)
    assert copy.truncated is not None


def test_errors_can_be_pickled():
    failed = Keyphrases(error=MissingExtraError("this", "torch"))
    copy = pickle.loads(pickle.dumps(failed))
    assert str(copy.error) == "this needs the extra 'torch': pip install 'mderank[torch]'"
    assert copy.error.extra == "torch"


def test_a_keyphrase_as_plain_data():
    (keyphrase,) = MDERank(FakeEncoder(), tagger=FakeTagger()).extract("The reef is near the REEF and the reef.")
    assert keyphrase.as_dict() == {
        "text": "reef",
        "key": "reef",
        "score": keyphrase.score,
        "raw_score": keyphrase.raw_score,
        "spans": [[4, 8], [21, 25], [34, 38]],
        "forms": ["reef", "REEF"],
    }


def test_the_tree_of_errors():
    for name in ("InputError", "OptionError", "ModelError", "MissingExtraError"):
        assert issubclass(getattr(mderank, name), mderank.MDERankError)
    for name in ("LanguageWarning", "ExactFallbackWarning", "WeightsConvertedWarning"):
        assert issubclass(getattr(mderank, name), mderank.MDERankWarning)
