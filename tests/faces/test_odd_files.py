"""Odd files of a workspace are left out and named; every endpoint answers as it does without them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from faces.served import serving
from faces.test_routes import TABLE, example
from oldsoul.faces.http.door import ServerLimits

if TYPE_CHECKING:
    from faces.served import Served

_HOLES = 5 << 30
REFUSED = 403
_ODD = {
    "rooms/dev.md": "rooms/dev.md is a link to MEMORY.md, which has another audience",
    "out.md": "out.md is a link to a place outside the workspace",
    "round.md": "round.md leads through too many links",
    "caf\ufffd.md": "its name is not a valid file name",
    "skills/\ufffd/SKILL.md": "its name is not a valid file name",
    "SOUL.md": "SOUL.md is not a regular file",
    "USER.md": "USER.md is a folder",
    "memory/2026-01-01.md": f"memory/2026-01-01.md has {_HOLES:,} bytes, more than",
    "notes.md": "notes.md has 60,000,000 bytes, more than",
}


def put(folder: Path) -> None:
    """One of each."""
    raw = os.fsencode(folder)
    (folder / "rooms").mkdir(exist_ok=True)
    (folder / "rooms/dev.md").symlink_to("../MEMORY.md")
    (folder / "out.md").symlink_to("/etc/passwd")
    (folder / "round.md").symlink_to("round.md")
    Path(os.fsdecode(raw + b"/caf\xe9.md")).write_text("x")
    Path(os.fsdecode(raw + b"/skills/\xe9")).mkdir(parents=True)
    Path(os.fsdecode(raw + b"/skills/\xe9/SKILL.md")).write_text("x")
    Path(os.fsdecode(raw + b"/picture\xe9.png")).write_text("x")
    (folder / "SOUL.md").unlink()
    os.mkfifo(folder / "SOUL.md")
    (folder / "USER.md").unlink()
    (folder / "USER.md").mkdir()
    for name, size in (("memory/2026-01-01.md", _HOLES), ("notes.md", 60_000_000)):
        with (folder / name).open("wb") as file:
            file.truncate(size)


def answers(served: Served) -> dict[str, int]:
    """How each endpoint answers the operator, one after the other; those that are asked for the odd file itself may refuse."""
    found = {}
    for endpoint in TABLE:
        method, path = endpoint.split(" ")
        place, more = example(method.lower(), path)
        headers = {"last-event-id": "none", "if-match": "*"}  # a stream does not end by itself: it does not begin
        answer = served.client.request(method, place, headers=headers, **more)
        if answer.status_code != REFUSED or "SOUL.md is not a regular file" not in answer.text:
            found[endpoint] = answer.status_code
    return found


@pytest.fixture(scope="module")
def limits() -> ServerLimits:
    return ServerLimits(at_once=100_000)


def test_every_endpoint_answers_with_odd_files_as_without_and_health_names_each(
    tmp_path: Path, limits: ServerLimits
) -> None:
    for name in ("plain", "odd"):
        (tmp_path / name).mkdir()
    with serving(tmp_path / "plain", limits=limits) as served:
        wanted = answers(served)
    with serving(tmp_path / "odd", limits=limits) as served:
        put(served.folder)
        checks = served.client.get("/api/health").json()["checks"]
        found = answers(served)
        assert found == {endpoint: wanted[endpoint] for endpoint in found}
        assert all("/soul/" in endpoint or "{filename}" in endpoint for endpoint in wanted.keys() - found.keys())
    told = [check["message"] for check in checks if check["level"] == "warning"]
    for path, reason in _ODD.items():
        assert any(reason in message for message in told), (path, told)
    assert not any("picture" in message for message in told)
