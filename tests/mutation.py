"""Mutation tests: change the code in small ways, one at a time, and see whether a test fails.

    pip install mutmut==3.8.1
    python tests/mutation.py                  # all groups, about 40 minutes on 2 cores
    python tests/mutation.py ranking masking  # some of them

It works on a copy of the working tree, prints every mutant that survives, and how many each module has. A survivor
needs a test that states what it breaks, or is equivalent to the original (CONTRIBUTING.md, "Mutation tests").
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent

# The modules of each group, and the tests that concern them. Only quick ones: every mutant has its own run of them.
GROUPS: dict[str, tuple[list[str], list[str]]] = {
    "masking": (["masking.py"], ["tests/test_masking.py"]),
    "ranking": (["ranking/*.py"], ["tests/ranking"]),
    "encoding": (
        [f"encoding/{name}.py" for name in ("embed", "exact", "one_pass", "padding", "pooling", "windows")],
        [f"tests/encoding/test_{name}.py" for name in ("embed", "one_pass", "padding", "pooling", "windows")],
    ),
    "evaluation": (
        [f"research/evaluation/{name}.py" for name in ("measures", "protocols")],
        [f"tests/research/evaluation/test_{name}.py" for name in ("measures", "protocols")],
    ),
    "training": (
        [f"research/training/{name}.py" for name in ("data", "pair_sampling")],
        [f"tests/research/training/test_{name}.py" for name in ("data", "pair_sampling")],
    ),
    "serve": (["serve/batch_queue.py"], ["tests/serve/test_batch_queue_batches.py"]),
    "methods": (["methods/base.py"], ["tests/methods/test_base.py"]),
}
# Of a module that has other tests than these, the functions that they concern.
FUNCTIONS = {
    "methods": [
        "*.x__chunks__*",
        "*extract_many__*",
        "*_extract_chunk__*",
        "*.x_isolate_failures__*",
        "*.x_input_error__*",
    ]
}
# They load a model, or take seconds.
LEFT_OUT = (
    "tests/encoding/test_one_pass.py::test_a_tiny_bert_s_streams",
    "tests/encoding/test_one_pass.py::test_masks_leave_the_document_s_states_as_they_were[minilm-l6]",
    "tests/ranking/test_acronyms.py::test_the_long_form_has_the_letters",
    "tests/ranking/test_acronyms.py::test_an_acronym_and_its_long_form_are_one_entry",
    "tests/ranking/test_diversity_maxsum.py::test_it_is_the_least_of_all_choices[12-6]",
    "tests/ranking/test_diversity_maxsum.py::test_the_default_pool_is_always_exact",
)
SURVIVED, FAILED = (0, 5, 33), (1, 3)  # exit codes: all tests passed, or there were none; a test or pytest failed


def main(names: list[str]) -> None:
    """Run the groups of these names, or all."""
    for name in names or GROUPS:
        with tempfile.TemporaryDirectory() as folder:
            run_group(name, Path(folder))


def run_group(name: str, folder: Path) -> None:
    """Run the mutants of one group in a copy of the working tree, and print the survivors."""
    modules, tests = GROUPS[name]
    shutil.copytree(ROOT / "src", folder / "src")
    shutil.copytree(ROOT / "tests", folder / "tests")
    settings = {
        "source_paths": ["src"],
        "only_mutate": [f"src/mderank/{module}" for module in modules],
        "also_copy": ["src"],
        "pytest_add_cli_args": ["-m", "not hypothesis and not slow", *(f"--deselect={test}" for test in LEFT_OUT)],
        "pytest_add_cli_args_test_selection": tests,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]  # lists of strings: JSON is TOML
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (folder / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]), "utf-8")
    # A PYTHONPATH would come before the mutants.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    mutmut = [sys.executable, "-m", "mutmut"]
    subprocess.run([*mutmut, "run", *FUNCTIONS.get(name, [])], cwd=folder, env=environment, check=True)
    for path in sorted((folder / "mutants/src").rglob("*.py.meta")):
        codes = json.loads(path.read_text("utf-8"))["exit_code_by_key"]
        tried = {mutant: code for mutant, code in codes.items() if code is not None}
        survivors = [mutant for mutant, code in tried.items() if code in SURVIVED]
        for mutant in survivors:
            subprocess.run([*mutmut, "show", mutant], cwd=folder, env=environment, check=True)
        if tried:
            module = path.relative_to(folder / "mutants/src/mderank").with_suffix("")
            late = sum(code not in (*SURVIVED, *FAILED) for code in tried.values())
            killed = len(tried) - len(survivors)
            print(f"{module}: {killed} of {len(tried)} mutants killed, {late} of them by the time limit", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
