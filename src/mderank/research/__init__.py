"""Research: datasets, evaluation, reports, the paper's tables and training. The library never imports it.

>>> from mderank.research import Options, RunSpec
>>> RunSpec("inspec", Options(method="yake"), limit=100).command()
'mderank evaluate --dataset inspec --method yake --limit 100'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mderank.util.lazy import lazy_names

_MODULES = {
    "mderank.options": ("Options",),
    "mderank.research.datasets": ("load_dataset",),
    "mderank.research.evaluation.evaluate": ("Resources", "evaluate"),
    "mderank.research.evaluation.measures": ("Measure",),
    "mderank.research.evaluation.protocols": ("get_protocol",),
    "mderank.research.evaluation.runs": ("Run", "RunStore", "load_run"),
    "mderank.research.evaluation.spec": ("RunSpec",),
    "mderank.research.reports.compare": ("RunComparison", "compare"),
    "mderank.research.reproduction.config": ("EncoderInfo", "Limits", "ReproductionConfig"),
    "mderank.research.reproduction.reproduce": ("ReproductionResources", "reproduce"),
    "mderank.research.training.trainer": ("train",),
    "mderank.research.tuning.labelled_files": ("load_labelled",),
    "mderank.research.tuning.learn": ("StyleReport", "learn_style"),
}
__all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)

if TYPE_CHECKING:
    from mderank.options import Options as Options
    from mderank.research.datasets import load_dataset as load_dataset
    from mderank.research.evaluation.evaluate import Resources as Resources
    from mderank.research.evaluation.evaluate import evaluate as evaluate
    from mderank.research.evaluation.measures import Measure as Measure
    from mderank.research.evaluation.protocols import get_protocol as get_protocol
    from mderank.research.evaluation.runs import Run as Run
    from mderank.research.evaluation.runs import RunStore as RunStore
    from mderank.research.evaluation.runs import load_run as load_run
    from mderank.research.evaluation.spec import RunSpec as RunSpec
    from mderank.research.reports.compare import RunComparison as RunComparison
    from mderank.research.reports.compare import compare as compare
    from mderank.research.reproduction.config import EncoderInfo as EncoderInfo
    from mderank.research.reproduction.config import Limits as Limits
    from mderank.research.reproduction.config import ReproductionConfig as ReproductionConfig
    from mderank.research.reproduction.reproduce import ReproductionResources as ReproductionResources
    from mderank.research.reproduction.reproduce import reproduce as reproduce
    from mderank.research.training.trainer import train as train
    from mderank.research.tuning.labelled_files import load_labelled as load_labelled
    from mderank.research.tuning.learn import StyleReport as StyleReport
    from mderank.research.tuning.learn import learn_style as learn_style
