"""A home behind the HTTP API, asked without a network."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starlette.testclient import TestClient

from oldsoul.faces.http.app import app
from oldsoul.testing import FrozenClock, ScriptedTalker
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Oldsoul

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
MAIN = "/api/agents/main"


@dataclass
class Api:
    """The API, asked with one token."""

    client: TestClient
    soul: Oldsoul
    secret: str
    """a program's token, or both halves of a browser's"""

    @property
    def headers(self) -> dict[str, str]:
        half, _, rest = self.secret.partition(".")
        if rest:
            return {"cookie": f"oldsoul={half}", "oldsoul-key": rest, "origin": "http://127.0.0.1"}
        return {"authorization": f"Bearer {self.secret}"}

    def __call__(self, method: str, path: str, status: int = 200, /, **more: Any) -> Any:
        """The JSON of an answer that has to have a status."""
        answer = self.client.request(method, path, headers=self.headers, **more)
        assert answer.status_code == status, answer.text
        return answer.json()

    def get(self, path: str, status: int = 200, /, **params: Any) -> Any:
        return self("GET", path, status, params=params)

    def post(self, path: str, status: int = 200, /, **body: Any) -> Any:
        return self("POST", path, status, json=body)

    def delete(self, path: str, status: int = 200, /, **params: Any) -> Any:
        return self("DELETE", path, status, params=params)

    def put(self, path: str, status: int = 200, /, **body: Any) -> Any:
        return self("PUT", path, status, json=body)

    def of(self, role: str, person: str | None = None, **more: Any) -> Api:
        """The same with a token of its own."""
        return Api(self.client, self.soul, self.soul.add_token(role, person=person, **more).secret)


@contextmanager
def api_of(folder: Path, *script: Any, config: str = "", talker: Any = None) -> Iterator[Api]:
    """A new home, asked by its operator."""
    home = folder / "home"
    home.mkdir()
    (home / "config.yaml").write_text(f"timezone: UTC\n{config}")
    speaks = talker or (ScriptedTalker(*script) if script else None)
    with (
        open_home(home, {}, FrozenClock(NOON), talker=speaks) as soul,
        TestClient(app(soul), base_url="http://127.0.0.1", raise_server_exceptions=False) as client,
    ):
        yield Api(client, soul, soul.add_token("operator").secret)
