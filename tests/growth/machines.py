"""Machines that serve one site: each with its own processes and port, all on one Valkey and PostgreSQL."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

from papertrade_site.env import BASE_DIR
from papertrade_site.ops.children import stop_with_parent
from papertrade_site.ops.jobs import JOBS
from tests.faults.deployment import PATIENCE_S, Deployment, Site, deployed, environ_of, migrated, within
from tests.faults.operator import make_operator
from tests.faults.postgresql import running_postgresql
from tests.faults.proxy import running_proxy
from tests.limits.valkey import OwnValkey, running_valkey
from tests.ports import free_pair
from tests.running import GIVE_UP_S, manage, running

LIVE_S: Final = 1_800
"""Seconds after which a process is ended that no test has ended; longer than all tests here take together."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The embedded exchange that all machines read."""

    port: int

    def requests(self) -> dict[str, int]:
        """Requests so far, by path."""
        counts: dict[str, int] = self._control("GET", "requests")["requests"]
        return counts

    def delay(self, path: str, seconds: float) -> None:
        """Have it take so long over paths that begin so."""
        self._control("POST", "faults", {"path": path, "fault": "delay", "argument": seconds})

    def behave(self) -> None:
        """End what was ordered."""
        self._control("DELETE", "faults")

    def _control(self, method: str, name: str, body: object = None) -> Any:  # noqa: ANN401
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request(method, f"/_simulator/{name}", json.dumps(body))
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer


@dataclass(frozen=True, slots=True)
class Shared:
    """What all machines have in common."""

    valkey: OwnValkey
    database: str
    exchange: Exchange

    @property
    def settings(self) -> dict[str, Any]:
        """What stands in the settings of each."""
        return {
            "PAPERTRADE_SIMULATOR_PORT": str(self.exchange.port),
            "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1/32",
            "PAPERTRADE_THREADS": "32",
        }


@dataclass(frozen=True, slots=True)
class Job:
    """A background job that runs on a machine."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def has_worked(self) -> bool:
        """Whether it has been the one of all machines that works; what it was not, it is not yet."""
        return "This process now does the work" in self.log.read_text()

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait(GIVE_UP_S)

    def stop(self) -> None:
        """Ask it to end, which lets another go on at once."""
        self.process.terminate()
        self.process.wait(GIVE_UP_S)


class Machine:
    """One machine: the site and each background job, as the units in ``deploy/systemd`` start them.

    Attributes:
        port: where its site listens, always the same.
        site: its site, of which the log begins anew with each start.
        jobs: its background jobs by name.
    """

    def __init__(self, shared: Shared, folder: Path) -> None:
        self.port = free_pair()
        self.jobs: dict[str, Job] = {}
        self._shared = shared
        self._folder = folder
        self._log = folder / f"{self.port}.log"
        self._processes = ExitStack()

    def start(self) -> None:
        """Start all of it."""
        self.start_site()
        for job in JOBS:
            self.start_job(job.name)

    def start_site(self) -> None:
        """Start the site; a request that comes at once waits for it."""
        shared = self._shared
        self.site: Deployment = self._processes.enter_context(
            deployed(
                redis_url=shared.valkey.url,
                database=shared.database,
                log=self._log,
                port=self.port,
                **shared.settings,
            )
        )

    def start_job(self, name: str) -> None:
        """Start one background job."""
        environ = environ_of(redis_url=self._shared.valkey.url, database=self._shared.database)
        environ |= self._shared.settings | {"PORT": str(self.port)}
        path = self._folder / f"{self.port}-{name}.log"
        with path.open("wb") as log:
            process = subprocess.Popen(
                manage(name), cwd=BASE_DIR, env=environ, stdout=log, stderr=log, preexec_fn=stop_with_parent
            )
        self.jobs[name] = Job(process, path)
        self._processes.callback(self.jobs[name].stop)

    def kill(self) -> None:
        """End every process of it at once, as when its power fails."""
        os.killpg(self.site.pid, signal.SIGKILL)
        for job in self.jobs.values():
            job.kill()
        self.stop()

    def stop(self) -> None:
        """Ask all of it to end, which lets the site answer what it has begun."""
        for job in self.jobs.values():
            job.process.terminate()  # all at once, as each takes its time
        self._processes.close()

    def answered_any(self, request_ids: Iterable[str]) -> bool:
        """Whether its site says that it has answered one of these requests, which it says a little later."""
        said = self._log.read_text()
        return any(request_id in said for request_id in request_ids)


@dataclass(frozen=True, slots=True)
class Service:
    """Two machines that run, and nginx before them."""

    shared: Shared
    machines: tuple[Machine, Machine]
    port: int

    def takes_part(self, machine: Machine) -> bool:
        """Whether nginx soon hands a request to a machine."""
        asked: list[str] = []

        def is_handed_over() -> bool:
            asked.append(Site(self.port).get("/healthz").headers["X-Request-Id"])
            return machine.answered_any(asked)

        return within(PATIENCE_S, is_handed_over)


@contextmanager
def running_shared(folder: Path) -> Iterator[Shared]:
    """Run for the block what machines share: an empty Valkey, and a database with tables and an operator."""
    words = manage("simulate_exchange", "--port", "0")
    with ExitStack() as stack:
        database = stack.enter_context(running_postgresql())
        valkey = stack.enter_context(running_valkey(folder / "valkey.sock"))
        environ = environ_of(redis_url=valkey.url, database=database)
        exchange = stack.enter_context(running(words, environ, give_up_s=LIVE_S))
        migrated(database)
        make_operator(database)
        (address,) = exchange.out.until("answers at")
        yield Shared(valkey, database, Exchange(int(address.rpartition(":")[2])))


@contextmanager
def running_service(folder: Path, *, nginx: str = "") -> Iterator[Service]:
    """Run two machines for the block; nginx has these lines besides."""
    with running_shared(folder) as shared, ExitStack() as stack:
        first, second = (Machine(shared, folder) for _ in range(2))
        for machine in (first, second):
            stack.callback(machine.stop)
            machine.start()
        port = stack.enter_context(running_proxy(folder, first.port, second.port, more=nginx))
        for machine in (first, second):
            assert machine.site.get("/healthz").status == 200
        yield Service(shared, (first, second), port)
