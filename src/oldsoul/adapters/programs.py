"""Programs the operator's settings name: started without a shell, with next to no environment, within limits."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from oldsoul.errors import Unavailable

PATH = "/usr/local/bin:/usr/bin:/bin"
_PIECE = 65536


def run_program(
    argv: Sequence[str], given: bytes, *, seconds: float, most: int, environ: Mapping[str, str] | None = None
) -> bytes:
    """What a program writes when it is given this, at most so many bytes of it; `Unavailable` when it cannot, fails or takes too long."""
    if not argv or not argv[0].strip():
        raise Unavailable("no program is set")
    try:
        process = subprocess.Popen(  # noqa: S603 - the operator's own program, and no shell
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": PATH, "LANG": "C.UTF-8", **(environ or {})},
            start_new_session=True,
            close_fds=True,
        )
    except (OSError, ValueError) as error:
        raise Unavailable(f"{argv[0]} cannot be started: {error}") from error
    try:
        out = _talked(process, given, time.monotonic() + seconds, most)
    except (TimeoutError, subprocess.TimeoutExpired):
        raise Unavailable(f"{argv[0]} took longer than {seconds:g} s and was stopped") from None
    finally:
        _end(process)
    if process.returncode:
        raise Unavailable(f"{argv[0]} failed (exit code {process.returncode})")
    return out


def _talked(process: subprocess.Popen[bytes], given: bytes, until: float, most: int) -> bytes:
    """Give and take without waiting for one side, until the program has closed its output or the time is over."""
    if process.stdin is None or process.stdout is None:
        raise TimeoutError
    left, found = memoryview(given), bytearray()
    os.set_blocking(process.stdin.fileno(), False)
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        waiting.register(process.stdin, selectors.EVENT_WRITE)
        is_open = True
        while is_open:
            rest = until - time.monotonic()
            if rest <= 0:
                raise TimeoutError
            for key, _ in waiting.select(rest):
                if key.fileobj is process.stdout:
                    piece = os.read(process.stdout.fileno(), _PIECE)
                    is_open = bool(piece)
                    found += piece[: most - len(found)]
                    continue
                try:
                    left = left[os.write(process.stdin.fileno(), left[:_PIECE]) :] if left else left
                except (BrokenPipeError, BlockingIOError) as error:
                    left = left if isinstance(error, BlockingIOError) else left[:0]
                if not left:
                    waiting.unregister(process.stdin)
                    with contextlib.suppress(OSError):
                        process.stdin.close()
    process.wait(max(until - time.monotonic(), 0.01))
    return bytes(found)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Have nothing of it left: it and all it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
