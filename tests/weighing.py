"""What processes take of the machine; one that ends meanwhile takes nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final

import psutil

MEBIBYTE: Final = 2**20


def family(pid: int) -> list[psutil.Process]:
    """A process and all below it."""
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


def of_session(session: int) -> list[psutil.Process]:
    """All processes of a session."""
    found = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError):
            if os.getsid(process.pid) == session:
                found.append(process)
    return found


def cpu_s(processes: Iterable[psutil.Process]) -> float:
    """Seconds of processor time that they have used."""

    def used_s(process: psutil.Process) -> float:
        times = process.cpu_times()
        return times.user + times.system

    return _sum(used_s, processes)


def memory_bytes(processes: Iterable[psutil.Process]) -> float:
    """Bytes that they take; of a page that several share, each has its part (Linux)."""
    return _sum(lambda process: process.memory_full_info().pss, processes)


def _sum(of: Callable[[psutil.Process], float], processes: Iterable[psutil.Process]) -> float:
    total = 0.0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            total += of(process)
    return total
