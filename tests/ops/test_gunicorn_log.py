"""What gunicorn says of itself before and beside its workers' own log."""

from __future__ import annotations

import re
import sys

import pytest
from gunicorn.app.wsgiapp import WSGIApplication

from papertrade_site.env import BASE_DIR
from papertrade_site.ops.server_log import ServerLog
from tests.running import newcomers_environ, running

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (WARNING|ERROR|CRITICAL) gunicorn\.error: \S.*")


def test_the_first_process_tells_how_its_workers_ended_in_lines_like_all_others() -> None:
    command = [sys.executable, "-m", "gunicorn", "--bind", "127.0.0.1:0", "nothing_there:application"]
    with running(command, newcomers_environ(WEB_CONCURRENCY="1")) as gunicorn:
        said = gunicorn.err.rest()
        assert gunicorn.process.wait() == 3
    lines = [line for line in said.splitlines() if "gunicorn.error" in line or line.startswith("[")]
    assert any("Worker failed to boot" in line for line in lines)
    assert [line for line in lines if not LINE.fullmatch(line)] == []


def test_it_puts_no_line_together_for_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["gunicorn", "--config", str(BASE_DIR / "gunicorn.conf.py")])
    cfg = WSGIApplication().cfg
    log = cfg.logger_class(cfg)
    assert isinstance(log, ServerLog)
    log.atoms = log.access_log.info = None  # neither may be asked for
    log.access(None, None, {}, None)
