"""The servers that a deployment needs, on free ports of loopback: PostgreSQL, Redis and an emulator of S3."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deploy.demo.processes import end_tree
from docnav_pipeline.servers import end_with_parent

_UP_S, _DOWN_S, _LOOK_S = 60.0, 20.0, 0.1
_DATABASE = "dagster"


class MissingProgram(RuntimeError):
    """A program that the deployment needs is not on this machine."""


def find_program(name: str, package: str) -> str:
    """Path of a program; Debian keeps those of PostgreSQL beside each other and off the PATH. Raises MissingProgram."""
    beside = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    found = str(beside[-1]) if beside else shutil.which(name)
    if found is None:
        raise MissingProgram(f"{name} is not on this machine; expected it on the PATH. Install it, on Debian: apt-get install {package}")
    return found


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def wait_until(what: str, holds: Callable[[], bool], process: subprocess.Popen[Any], log: Path, timeout_s: float = _UP_S) -> None:
    """Wait for a server. Raises RuntimeError with the end of its log when it ends or takes too long."""
    deadline = time.monotonic() + timeout_s
    while process.poll() is None and time.monotonic() < deadline:
        if holds():
            return
        time.sleep(_LOOK_S)
    raise RuntimeError(f"{what} did not come up in {timeout_s:.0f} s. Its log ends: {log.read_text(errors='replace')[-2000:]}")


@contextmanager
def running(
    name: str, command: Sequence[str], folder: Path, environment: Mapping[str, str], **how: Any
) -> Iterator[subprocess.Popen[bytes]]:
    """A server in a session of its own, with its output in `NAME.log`; ended with all its children, and when this process is killed."""
    how |= {"env": dict(environment), "start_new_session": True, "preexec_fn": end_with_parent}
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, **how)
    try:
        yield process
    finally:
        end_tree(process, _DOWN_S)


@contextmanager
def services(folder: Path) -> Iterator[dict[str, str]]:
    """PostgreSQL, Redis and S3 with their data below a folder, until the end: variables by which processes of the deployment find them."""
    with ExitStack() as stack:
        made: dict[str, str] = {}
        for start in (_postgres, _redis, _storage):
            made.update(stack.enter_context(start(folder)))
        yield made


@contextmanager
def _postgres(folder: Path) -> Iterator[dict[str, str]]:
    initdb, server = find_program("initdb", "postgresql"), find_program("postgres", "postgresql")
    port, how = free_port(), dict[str, Any]()
    # In a folder of its own, because the user that owns it may not be able to enter the one that is given.
    with TemporaryDirectory(prefix="docnav-postgres-") as data:
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            user = pwd.getpwnam("postgres")
            os.chown(data, user.pw_uid, user.pw_gid)
            how = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        made = [initdb, "--pgdata", data, "--username", _DATABASE, "--auth", "trust", "--encoding", "UTF8", "--no-sync"]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, cwd=data, **how)
        command = [server, "-D", data, "-p", str(port), "-k", data, "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200"]
        with running("postgres-server", command, folder, os.environ, cwd=data, **how) as process:
            wait_until("PostgreSQL", lambda: _answers(port), process, folder / "postgres-server.log")
            _make_database(port)
            place = {"HOST": "127.0.0.1", "PORT": str(port), "USER": _DATABASE, "PASSWORD": "unused", "DB": _DATABASE}
            yield {f"DAGSTER_PG_{name}": value for name, value in place.items()}


def _make_database(port: int) -> None:
    """Make the database that the instance uses, once the server takes connections."""
    import psycopg2

    deadline = time.monotonic() + _UP_S
    while True:
        try:
            connection = psycopg2.connect(host="127.0.0.1", port=port, user=_DATABASE, dbname="postgres")
            break
        except psycopg2.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_LOOK_S)
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {_DATABASE}")
    connection.close()


@contextmanager
def _redis(folder: Path) -> Iterator[dict[str, str]]:
    port = free_port()
    program = find_program("redis-server", "redis-server")
    command = [program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with running("redis-server", command, folder, os.environ) as process:
        wait_until("Redis", lambda: _answers(port), process, folder / "redis-server.log")
        yield {"CELERY_BROKER": f"redis://127.0.0.1:{port}/0", "CELERY_BACKEND": f"redis://127.0.0.1:{port}/1"}


@contextmanager
def _storage(folder: Path) -> Iterator[dict[str, str]]:
    port = free_port()
    command = [str(Path(sys.executable).with_name("moto_server")), "--host", "127.0.0.1", "--port", str(port)]
    with running("object-storage", command, folder, os.environ) as process:
        wait_until("the emulator of S3", lambda: _answers(port), process, folder / "object-storage.log")
        query = f"endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1&allow_bucket_creation=true"
        keys = {"AWS_ACCESS_KEY_ID": "demo", "AWS_SECRET_ACCESS_KEY": "demo", "AWS_EC2_METADATA_DISABLED": "true"}
        yield {**keys, "DOCNAV_STORE": f"s3://docnav/store?{query}"}


def _answers(port: int) -> bool:
    with socket.socket() as asked:
        asked.settimeout(1.0)
        return asked.connect_ex(("127.0.0.1", port)) == 0
