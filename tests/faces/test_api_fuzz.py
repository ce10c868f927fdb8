"""The API under requests that nobody thought of: schemathesis makes them from the OpenAPI document, with a fixed seed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from faces.served import asked, running_server
from oldsoul.faces.http.app import api
from oldsoul.faces.http.limits import Limits
from oldsoul.values.audience import PUBLIC
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Role
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from oldsoul.app import Oldsoul

CASES = scaled(1_500, 25_000)
EXAMPLES = scaled(2, 450)
"""How many requests are made up for each endpoint, beside those that the document asks for."""
SCENARIOS = scaled(40, 400)
"""How many chains of requests are made up, each of which goes on with what the one before returned."""
ENDLESS = "/api/events"
"""A stream that does not end is not for a tool that reads answers whole."""
CONFIG = """
hooks = "{hooks}"
[checks]
# 400, 405, 409, 422, 428: rules that no schema can tell. `valid_form_is_taken` looks at which.
positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 405, 409, 422, 428]
[phases.stateful.generation]
max-examples = {scenarios}
"""


def lived_in(soul: Oldsoul) -> None:
    """Have there be something of everything, so that requests find what they ask for."""
    agent = soul.agent("main")
    agent.remember("Deploys happen on Tuesdays", tag="decision")
    agent.put("SOUL.md", b"# Soul\n\n- Kind.\n")
    agent.correct("The meeting is on Thursday, not on Tuesday")
    evidence, keeper = (Evidence("m:1", Origin.OPERATOR, PUBLIC),), Author(Role.KEEPER, "soul-keeper")
    for number in range(3):
        wish = Add(Name("main", "SOUL.md"), f"Calm in matter {number}.")
        agent.parts.home.ledger.apply(ChangeSet((wish,), keeper, "calm", f"wish:{number}", evidence))


def test_no_request_breaks_the_server_or_the_document(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("timezone: UTC\nagents:\n  list:\n    - id: main\n    - id: ben\n")
    (tmp_path / "openapi.json").write_text(json.dumps(api().openapi()))
    hooks = Path(__file__).with_name("api_fuzz_checks.py")
    (tmp_path / "schemathesis.toml").write_text(CONFIG.format(hooks=hooks, scenarios=SCENARIOS))
    with open_home(home, {}) as soul:
        lived_in(soul)
        made = soul.add_token("operator")
        with running_server(soul, limits=Limits(per_second=1e9, at_once=10**9)) as port:
            command = [
                *(str(Path(sys.executable).with_name("schemathesis")), "run", "openapi.json"),
                *("--url", f"http://127.0.0.1:{port}", "--header", f"Authorization: Bearer {made.secret}"),
                *("--checks", "all", "--seed", "1", "--max-examples", str(EXAMPLES), "--exclude-path", ENDLESS),
                *("--no-shrink", "--continue-on-failure", "--suppress-health-check", "all", "--no-color"),
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
    for status, count in re.findall(r'_requests_total\{.*status="(\d+)"\} (\d+)', numbers):
        answers[int(status)] += int(count)
    assert sum(answers.values()) >= CASES
    assert not [status for status in answers if status >= 500]
    assert sum(answers[status] for status in (200, 201, 202)) >= CASES // 4, "few requests got through to anything"
