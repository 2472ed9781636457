"""From a folder to a hundred million documents: one batch worker, and three ways to run it.

`extract_folder` reads files, cuts them into shards and writes these, on one machine, on Ray or on Spark; what was
stopped goes on where it was. `mderank.scale.ray` and `mderank.scale.spark` have what a job of your own can use.
"""

from mderank.scale.local import Local
from mderank.scale.plan import Cut
from mderank.scale.run import FailedDocumentError, Outcome, extract_folder
from mderank.scale.work import ByName, Make, Work

__all__ = ["ByName", "Cut", "FailedDocumentError", "Local", "Make", "Outcome", "Work", "extract_folder"]
