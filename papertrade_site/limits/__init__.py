"""How much one client may ask, who one client is, and how that is counted across all processes.

A request passes through ``gate`` (a server's limits, and the headers that tell how the client stands),
``counter`` (the client's usage), django-ratelimit (the windows), ``cache`` (its counters, in one round
trip) and ``failover``, which counts in Redis or, while that is away, in ``local``. What a request costs is in
``charge``, and who asks is in ``client``. What holds for one client, by a rule for its network, is in
``applied``, and what callers are told of what is off in ``switches``. Readers pass through ``pages``.

What holds is a ``policy``, and ``in_force`` knows the present one. What its numbers may be is in ``bounds``.
An operator's settings are in ``models``, written by ``audit`` alone, and ``refresh`` brings them into force.
"""
