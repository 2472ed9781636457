from __future__ import annotations

import pytest

from mderank.options import Options
from mderank.research.evaluation.runs import StoredRun
from mderank.research.reproduction.plan import Plan, PlannedRun, estimate, estimate_from, make_plan
from mderank.research.reproduction.tables import choose_parts


def test_estimates_grow_with_what_is_read():
    lengths = [1000, 200]
    plain = Options(method="mderank")
    exact = Options(method="mderank", exact=True)
    short = Options(method="mderank", exact=True, max_words=128)
    highest = Options(method="mderank", exact=True, masking="highest")
    times = [estimate(each, lengths, 1e-4) for each in (plain, short, exact, highest)]
    assert times == sorted(times)
    assert times[2] > 20 * times[0]
    assert estimate(Options(method="yake"), lengths, 0.0) > 0


def test_estimates_from_a_run_that_read_less(tmp_path):
    options = Options(method="mderank", max_words=128)
    stored = StoredRun(tmp_path, {"options": options.to_dict()}, 10, 3.0)
    assert estimate_from(options, [1000] * 4, stored) == pytest.approx(12.0)
    assert 12.0 < estimate_from(Options(method="mderank", max_words=256), [1000] * 4, stored) < 30.0


def test_a_plan_counts_every_run_once_and_does_the_quick_ones_first(config, tmp_path):
    parts = choose_parts(["table5", "table10"])
    needed = dict.fromkeys(spec for part in parts for spec in part.needs(config))
    kept = StoredRun(tmp_path, {}, 100, 1.0)
    jobs = {spec: PlannedRun(spec, 20, 20, seconds=60.0) for spec in needed}
    there, broken = config.embedrank("nus"), config.embedrank("inspec")
    jobs[there] = PlannedRun(there, 20, 20, kept)
    jobs[broken] = PlannedRun(broken, problem="the set inspec is not there")
    plan = Plan(config, parts, jobs)
    # 9 for table 5 and 36 for table 10, which share three.
    assert len(jobs) == 42
    to_do = plan.to_do()
    assert len(to_do) == 40
    assert [job.spec.options.exact for job in to_do] == sorted(job.spec.options.exact for job in to_do)
    lines = list(plan.lines(commands=True))
    assert lines[0] == "table5   Document length  9 runs, 1 there, 8 to do, about 8 min 0 s"
    assert (
        lines[1] == "table10  Similarity       36 runs, 1 there, 32 to do (2 more for tables above), about 32 min 0 s"
    )
    assert "cannot be run (1): the set inspec is not there" in lines
    assert lines[-1] == "42 runs: 1 are there, 40 to do; about 40 min 0 s"
    assert sum("mderank evaluate" in line for line in lines) == 40
    done = Plan(config, parts, {spec: PlannedRun(spec, 20, 20, kept) for spec in needed})
    assert list(done.lines())[-1] == "42 runs: 42 are there, 0 to do; nothing to run"


def test_what_exact_runs_have_in_common_is_counted_once(config):
    (part,) = choose_parts(["masking"])
    plan = make_plan(config, [part], (PlannedRun(spec, 20, 20, seconds=60.0) for spec in part.needs(config)))
    times = {
        (job.spec.options.masking, job.spec.options.exact): job.seconds
        for job in plan.to_do()
        if job.spec.dataset == "nus"
    }
    assert times[None, True] == 60.0
    assert times["subset", True] < times[None, True]
    assert times["subset", False] == times[None, False] == 60.0  # one pass shares nothing
    similarity = choose_parts(["similarity"])[0].needs(config)
    jobs = make_plan(config, [], (PlannedRun(spec, 20, 20, seconds=60.0) for spec in similarity)).to_do()
    euclidean = [job.seconds for job in jobs if job.spec.options.exact and job.spec.options.similarity]
    assert euclidean == [3.0] * 6
