"""The API under requests that nobody thought of: schemathesis makes them from the OpenAPI document, with fixed seeds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from faces.served import LIMIT, asked, running_server
from oldsoul.faces.http.app import api
from oldsoul.faces.http.door import ServerLimits
from oldsoul.values.audience import PUBLIC
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Role
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin
from oldsoul.wiring import open_home
from scale import TORTURE, scaled

if TYPE_CHECKING:
    from oldsoul.app import Oldsoul

CASES = scaled(200, 4_000)
ENDLESS = "/api/events"
"""A stream that does not end is not for a tool that reads answers whole."""
UNANSWERED = {
    ("GET", ENDLESS),
    ("POST", "/api/login/code"),
    ("POST", "/api/logout"),
    ("GET", "/api/workspace/{agent_name}/memory/daily/{day}"),
    *((method, "/api/agents/{name}/entries/{entry}") for method in ("GET", "PATCH", "DELETE")),
    ("POST", "/api/agents/{name}/conflicts/{conflict}/settle"),
    ("POST", "/api/agents/{name}/proposals/{proposal}/approve"),
}
"""Requests that are not linked have no code of a login link, no token of a browser, no day that was logged, no id of an entry, a conflict or a proposal."""
OF_AN_AGENT = "^/api/(agents|workspace|jobs)"
OF_THE_HOME = "^/api/(tokens|people|settings|jobs|schedule)"
CONFIG = """
hooks = "{hooks}"
[checks]
# 400, 405, 409, 422, 428: rules that no schema can tell. `valid_form_is_taken` looks at which.
positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 405, 409, 422, 428]
[phases.stateful]
max-steps = 20
[phases.stateful.generation]
# A link that puts a right value in the place of a wrong one leaves nothing to refuse.
mode = "positive"
"""


@dataclass
class Part:
    """A run of schemathesis on a new home; the parts are independent, so that tests can run side by side."""

    name: str
    phases: str
    examples: int
    """requests for each endpoint, or chains of requests, each of which goes on with what the one before returned"""
    cases: int
    """so many requests it makes at least"""
    seed: int = 1
    paths: str = ""
    """only the endpoints whose paths fit this"""
    links: int = 0
    """so many links of the document it follows at least"""

    def __str__(self) -> str:
        return f"{self.name}-{self.seed}"


PARTS = [
    Part("requests", "examples,coverage,fuzzing", 90, 8_000)
    if TORTURE
    else Part("requests", "examples,fuzzing", 2, 200),
]
if TORTURE:
    PARTS += [Part("chains-of-agents", "stateful", 150, 300, paths=OF_AN_AGENT, links=50)]
    PARTS += [Part("chains-of-the-home", "stateful", 30, 150, paths=OF_THE_HOME, links=6)]
    PARTS += [Part("requests", "fuzzing", 135, 8_000, seed) for seed in (2, 3)]
    PARTS += [Part("chains-of-agents", "stateful", 150, 300, seed, OF_AN_AGENT, 50) for seed in (2, 3)]


def lived_in(soul: Oldsoul) -> None:
    """Have there be something of everything, so that requests find what they ask for."""
    agent = soul.agent("main")
    agent.remember("Deploys happen on Tuesdays", tag="decision")
    agent.files.put("SOUL.md", b"# Soul\n\n- Kind.\n")
    agent.correct("The meeting is on Thursday, not on Tuesday")
    evidence, keeper = (Evidence("m:1", Origin.OPERATOR, PUBLIC),), Author(Role.KEEPER, "soul-keeper")
    for number in range(50):
        wish = Add(Name("main", "SOUL.md"), f"Calm in matter {number}.")
        agent._parts.home.ledger.apply(ChangeSet((wish,), keeper, "calm", f"wish:{number}", evidence))


def test_the_parts_make_enough_requests() -> None:
    assert sum(part.cases for part in PARTS) >= CASES


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_no_request_breaks_the_server_or_the_document(part: Part, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("timezone: UTC\nagents:\n  list:\n    - id: main\n    - id: ben\n")
    document = api().openapi()
    (tmp_path / "openapi.json").write_text(json.dumps(document))
    (tmp_path / "schemathesis.toml").write_text(
        CONFIG.format(hooks=Path(__file__).with_name("api_fuzz_checks.py").as_posix())
    )
    with open_home(home, {}) as soul:
        lived_in(soul)
        made = soul.add_token("operator")
        with running_server(soul, limits=ServerLimits(per_second=1e9, at_once=10**9)) as port:
            command = [
                *(str(Path(sys.executable).with_name("schemathesis")), "run", "openapi.json"),
                *("--url", f"http://127.0.0.1:{port}", "--header", f"Authorization: Bearer {made.secret}"),
                *("--checks", "all", "--phases", part.phases, "--seed", str(part.seed)),
                *("--max-examples", str(part.examples), "--exclude-path", ENDLESS),
                *(("--include-path-regex", part.paths) if part.paths else ()),
                *("--no-shrink", "--continue-on-failure", "--suppress-health-check", "all", "--no-color"),
                *("--generation-database", "none", "--request-timeout", str(LIMIT)),
            ]
            more = {"OLDSOUL_FUZZ_TOKEN": made.token.id}
            done = subprocess.run(
                command, cwd=tmp_path, env={**os.environ, **more}, capture_output=True, text=True, check=False
            )
            with asked(port, "GET", "/metrics", made.secret) as answer:
                numbers = answer.read().decode()
        assert soul.agent("main").remember("It still works").change
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
    answers: Counter[int] = Counter()
    answered: set[tuple[str, str]] = set()
    for method, path, status, count in re.findall(
        r'_requests_total\{method="(\w+)",path="(.*?)",status="(\d+)"\} (\d+)', numbers
    ):
        answers[int(status)] += int(count)
        if int(status) < 300:
            answered.add((method, path.replace(":path}", "}")))
    assert sum(answers.values()) >= part.cases
    assert not [status for status in answers if status >= 500]
    assert sum(answers[status] for status in (200, 201, 202)) >= part.cases // 4, "few requests got through to anything"
    if part.links:
        covered = re.search(r"API Links: +(\d+) covered", done.stdout)
        assert covered, done.stdout
        assert int(covered[1]) >= part.links, done.stdout
    elif "coverage" in part.phases:
        every = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
        assert every - answered <= UNANSWERED
