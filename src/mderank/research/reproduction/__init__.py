"""The paper's tables, measured: `paper` has the printed numbers, `tables` the runs that each cell needs.

`reproduce` makes missing runs and builds the report. `claims` and `claim_tests` test the statements of the paper's
text.
"""
