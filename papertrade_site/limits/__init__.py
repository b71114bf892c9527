"""How much one client may ask, who one client is, and how that is counted across all processes.

A request passes through ``gate`` (a server's limits, and the headers that tell how the client stands),
``counter`` (the client's usage), django-ratelimit (the windows), ``cache`` (its counters, in one round
trip) and ``failover``, which counts in Redis or, while that is away, in ``local``. The numbers are in
``policy``, what a request costs is in ``charge``, and who asks is in ``client``.
"""
