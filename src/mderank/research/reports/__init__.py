"""Comparing runs: numbers (`summary`), the tables that show them (`layout`, `tables`), and one page (`html`)."""
