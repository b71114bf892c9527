"""Who uses the servers, how they fare, and how the sources do: counted without a cost to the request.

An exchange is counted in the process's ``buffer`` (``record``). Once a second ``store`` adds what came
together to the process's own totals (``ledger``) and writes these to Redis, where all processes meet.
``rollup`` takes them over into the database (``models``), and ``report`` tells of both. What a caller sent is
never kept: a client is 12 digits of a keyed hash and one of the ``families``.
"""
