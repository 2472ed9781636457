"""The paper's tables as data, what each of them needs to be measured, and what was measured beside them.

`paper` has the numbers as printed; `tables/` says, a file a table, which runs each cell needs and how it is computed of
them; `claims` tests what the paper says in words; `report/` writes it all down. Nothing here runs a method: what is
needed are runs of ``mderank evaluate``, named by `Wanted` and found by `Shelf`.
"""
