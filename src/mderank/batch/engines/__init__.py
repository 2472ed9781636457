"""Where the shards of a batch run: on this machine, on Ray, on Spark."""
