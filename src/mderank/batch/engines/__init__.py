"""Engines that run the shards of a batch: this machine, Ray, Spark."""
