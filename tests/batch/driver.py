"""A batch run in a process that can be killed: python driver.py IN OUT PROCESSES SHARD."""

from __future__ import annotations

import sys

from mderank.batch import BatchWorker, Local, ShardSize, extract_folder
from mderank.testing import fake_extractor

if __name__ == "__main__":
    source, out, processes, shard = sys.argv[1:]
    cut, engine = ShardSize(int(shard)), Local(int(processes), 1, batch_documents=5)
    print(extract_folder([source], out, BatchWorker(build=fake_extractor), shard_size=cut, engine=engine))
