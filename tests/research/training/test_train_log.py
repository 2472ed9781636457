from xml.etree import ElementTree

import pytest

from mderank import InputError
from mderank.research.training.run_folder import RunFolder
from mderank.research.training.train_log import TrainLog, draw_curves, main, read_log


@pytest.fixture
def log(tmp_path):
    made = TrainLog(RunFolder(tmp_path), 0, ["mine F1@5"])
    made.write(0, {"held_out_accuracy": 60.0, "f1": 20.0, "mine F1@5": 19.0})
    for step in (1, 2, 3):
        made.write(step, {"loss": 1 / step, "rank": 0.5 / step, "accuracy": 50.0 + step})
    made.write(4, {"rank": 0.1, "accuracy": 70.0, "held_out_accuracy": 65.0, "f1": 21.0})
    return tmp_path / "log.csv"


def test_the_log_is_read_as_it_was_written(log):
    rows = read_log(log)
    assert [row["step"] for row in rows] == ["0", "1", "2", "3", "4"]
    assert (rows[0]["mine F1@5"], rows[1]["mine F1@5"], rows[2]["loss"]) == ("19", "", "0.5")


def test_what_will_be_done_again_is_taken_away(log):
    again = TrainLog(RunFolder(log.parent), 2, ["mine F1@5"])
    assert [row["step"] for row in read_log(log)] == ["0", "1", "2"]
    again.write(3, {"loss": 7.0})
    assert read_log(log)[-1]["loss"] == "7"


def test_a_log_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="cannot be read as a training log"):
        read_log(tmp_path / "log.csv")


def test_the_picture_stands_by_itself(log):
    picture = ElementTree.fromstring(draw_curves({"run": log}))
    name = "{http://www.w3.org/2000/svg}"
    assert [each.text for each in picture.iter(f"{name}title")][:2] == ["ranking loss", "training"]
    lines = picture.findall(f".//{name}polyline")
    assert [len(line.get("points").split()) for line in lines] == [4, 4, 2, 2]
    assert all(0 <= float(x) <= 480 for line in lines for x in (p.split(",")[0] for p in line.get("points").split()))


def test_several_runs_are_told_apart(log, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "log.csv").write_text(log.read_text())
    assert main([str(tmp_path / "both.svg"), str(log), str(other / "log.csv")]) == 0
    picture = (tmp_path / "both.svg").read_text()
    assert "other training" in picture
    assert f"{tmp_path.name} held out" in picture


def test_the_program_says_how_it_is_used(capsys, tmp_path):
    assert main([]) == 2
    assert "python -m mderank.research.training.train_log" in capsys.readouterr().err
    assert main([str(tmp_path / "a.svg"), str(tmp_path / "none.csv")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_tensorboard_where_it_is_installed(tmp_path):
    pytest.importorskip("tensorboard")
    log = TrainLog(RunFolder(tmp_path), 0, tensorboard=True)
    log.write(1, {"loss": 1.0})
    log.close()
    assert len(list((tmp_path / "tensorboard").iterdir())) == 1
