"""The two tools: what they are told to be, what they give, and that they give it to the right eyes only."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul.app.keepers.answers import ANSWER, WORK
from oldsoul.app.prompts.skills import SKILL_READ
from oldsoul.app.prompts.tools import GET, SEARCH, WRITING, cites, memory_get, memory_search, tools
from oldsoul.errors import BadInput, NotFound, Refused
from oldsoul.testing import FrozenClock
from oldsoul.values.audience import OWNER
from oldsoul.values.callers import Caller
from oldsoul.values.changes import Author, Role
from oldsoul.values.messages import Said
from oldsoul.values.recall import MOST_ASKED
from oldsoul.values.sessions import Session, Subject
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Agent, Oldsoul

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OWN, DEV = Session.dm(), Session.group("dev")
ANN, BEN = Session.dm("acct:7", id="ann"), Session.dm("acct:8", id="ben")
DAY = "memory/2026-02-04.md"
DIARY = """# 2026-02-04

## 2026-02-04 09:00 UTC <!--os aaaaaaaaaa aud=owner-->

The zebra Olga is mine alone.

## 2026-02-04 10:00 UTC <!--os bbbbbbbbbb aud=room:dev-->

The zebra Dora lives in the server room.

## 2026-02-04 11:00 UTC <!--os cccccccccc aud=person:acct:7-->

The zebra Anton is a secret of Ann.
"""


@pytest.fixture
def soul(tmp_path: Path) -> Iterator[Oldsoul]:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text("timezone: UTC\n")
    with open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)) as opened:
        yield opened


@pytest.fixture
def agent(soul: Oldsoul, tmp_path: Path) -> Agent:
    (tmp_path / "home/workspace/main" / DAY).write_text(DIARY)
    return soul.agent()


def configured(tmp_path: Path, text: str) -> Agent:
    (tmp_path / "home/config.yaml").write_text(f"timezone: UTC\n{text}")
    return open_home(tmp_path / "home", {}, clock=FrozenClock(NOON)).agent()


def said(value: dict[str, Any]) -> str:
    return " ".join(result["text"] for result in value["hits"])


# what they are


def test_there_are_two_tools_with_their_names_labels_and_parameters(agent: Agent) -> None:
    assert [(tool.name, tool.label) for tool in tools(agent._parts)] == [
        ("memory_search", "Memory Search"),
        ("memory_get", "Memory Get"),
    ]
    assert agent.tools() == [SEARCH, GET, *WRITING, WORK, ANSWER, SKILL_READ]
    found = SEARCH.definition()
    assert set(found) == {"name", "label", "description", "parameters"}
    assert set(found["parameters"]["properties"]) == {"query", "maxResults", "minScore"}
    assert found["parameters"]["required"] == ["query"]
    assert set(GET.parameters["properties"]) == {"path", "from", "lines"}
    assert GET.parameters["required"] == ["path"]
    assert all(words in SEARCH.description for words in ("before you answer", "MEMORY.md", "memory/*.md", "earlier"))
    assert "memory and nothing else" in GET.description


@pytest.mark.parametrize("switch", ["enabled", "search.enabled"])
def test_there_are_no_tools_where_memory_or_search_is_off(agent: Agent, tmp_path: Path, switch: str) -> None:
    group = "memory:\n  enabled: false\n" if switch == "enabled" else "memory:\n  search:\n    enabled: false\n"
    assert tools(agent._parts)
    silent = configured(tmp_path, group)
    with closing(silent._parts.home):
        assert tools(silent._parts) == []
        assert SEARCH not in silent.tools()
        assert GET not in silent.tools()
        assert SKILL_READ in silent.tools()
        with pytest.raises(Refused):
            memory_search(silent._parts, OWN, "zebra")
        with pytest.raises(Refused):
            memory_get(silent._parts, OWN, "MEMORY.md")
        with pytest.raises(Refused):
            silent.index.status()


def test_a_model_calls_them_by_their_parameters(agent: Agent) -> None:
    found = SEARCH.call(agent, OWN, {"query": "the zebra Olga", "maxResults": 1.0, "minScore": 0})
    assert len(found["hits"]) == 1
    piece = GET.call(agent, OWN, {"path": DAY, "from": 5, "lines": 1})
    assert piece == {"path": DAY, "text": "The zebra Olga is mine alone.", "from": 5, "lines": 1, "next": 6}


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": None},
        {"query": " "},
        {"query": 7},
        {"query": "x", "limit": 3},
        {"query": "x", "maxResults": 0},
        {"query": "x", "maxResults": True},
        {"query": "x", "maxResults": "3"},
        {"query": "x", "maxResults": 10**9},
        {"query": "x", "minScore": 2},
        {"query": "x", "minScore": "much"},
        {"query": "x", "minScore": float("nan")},
        {"query": "x" * (MOST_ASKED + 1)},
    ],
)
def test_arguments_that_make_no_sense_are_refused(agent: Agent, arguments: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        SEARCH.call(agent, OWN, arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"path": ""},
        {"path": 3},
        {"path": DAY, "from": 0},
        {"path": DAY, "from": -1},
        {"path": DAY, "lines": 0},
        {"path": DAY, "lines": 1.5},
        {"path": DAY, "to": 3},
    ],
)
def test_so_are_those_of_reading(agent: Agent, arguments: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        GET.call(agent, OWN, arguments)


def test_a_question_of_broken_characters_is_asked_all_the_same(agent: Agent) -> None:
    assert memory_search(agent._parts, OWN, "the zebra\ud800 Olga\0 \udcff")["hits"]


# searching


def test_a_result_says_where_when_and_by_whom(agent: Agent) -> None:
    agent.hear("The zebra Dora sleeps", session=DEV, sender="Bob", subject="acct:9", time=NOON)
    found = memory_search(agent._parts, OWN, "who sleeps?", maxResults=1)
    assert found["answer"] in ("found", "unsure")
    (result,) = found["hits"]
    assert {k: v for k, v in result.items() if k != "score"} == {
        "path": "chat/group_dev",
        "start_line": 1,
        "end_line": 1,
        "citation": "Source: chat/group_dev#L1",
        "text": "The zebra Dora sleeps",
        "source": "sessions",
        "date": "2026-02-04",
        "speaker": "Bob",
    }
    assert 0 <= result["score"] <= 1
    (mine,) = memory_search(agent._parts, OWN, "which zebra is mine alone?", maxResults=1)["hits"]
    assert mine["citation"] == f"Source: {DAY}#L5"


def test_a_result_says_what_it_stands_under_also_where_no_path_is_told(agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "home/workspace/main/memory/server-dachs.md").write_text("# dachs\n\n## Box\n\n- 32 GB ECC\n")
    (result,) = memory_search(agent._parts, OWN, "how many GB has dachs?", maxResults=1)["hits"]
    assert (result["heading"], result["text"]) == ("dachs / Box", "32 GB ECC")
    other = configured(tmp_path, "memory:\n  citations: 'off'\n")
    with closing(other._parts.home):
        (result,) = memory_search(other._parts, OWN, "how many GB has dachs?", maxResults=1)["hits"]
        assert result["heading"] == "dachs / Box"
        assert "path" not in result


def test_a_citation_names_the_first_and_the_last_line(agent: Agent) -> None:
    agent.files.put("MEMORY.md", b"# Memory\n\n- The boiler is old\n  - and it leaks\n  - near the wall\n")
    (result,) = memory_search(agent._parts, OWN, "what about the boiler?", maxResults=1)["hits"]
    assert result["citation"] == "Source: MEMORY.md#L3-L5"
    piece = memory_get(
        agent._parts, OWN, result["path"], result["start_line"], result["end_line"] - result["start_line"] + 1
    )
    assert piece["text"] == "- The boiler is old\n  - and it leaks\n  - near the wall"


def test_the_least_score_leaves_out_and_nothing_is_unknown(agent: Agent) -> None:
    assert memory_search(agent._parts, OWN, "quantum chromodynamics", minScore=1.0) == {
        "answer": "unknown",
        "confidence": 0.0,
        "hits": [],
    }


def test_search_gives_a_session_what_it_may_see(agent: Agent) -> None:
    names = {OWN: {"Olga", "Dora"}, DEV: {"Dora"}, ANN: {"Anton"}, BEN: set(), Session.cron("j"): set()}
    for session, expected in names.items():
        text = said(memory_search(agent._parts, session, "what is the zebra called?", maxResults=50))
        assert {name for name in ("Olga", "Dora", "Anton") if name in text} == expected


def test_chinese_is_found_and_read(agent: Agent) -> None:
    agent.remember("猫叫做米索，喜欢吃鱼")
    (result,) = memory_search(agent._parts, OWN, "猫叫什么？", maxResults=1)["hits"]
    assert "米索" in result["text"]
    assert "米索" in memory_get(agent._parts, OWN, result["path"], result["start_line"], 1)["text"]


# citations


def test_left_to_us_the_operator_alone_with_the_agent_gets_citations(agent: Agent) -> None:
    helper = Session.subagent(OWN)
    for session in (OWN, helper, Session.team("crew", OWN)):
        assert cites(agent._parts, session)
    for session in (DEV, ANN, Session.group(""), Session.cron("j", sees=(OWNER,)), Session.subagent(DEV)):
        assert not cites(agent._parts, session)
    (result,) = memory_search(agent._parts, DEV, "zebra", maxResults=1)["hits"]
    assert set(result) == {"score", "text", "source", "date", "speaker"}


def test_switched_off_nobody_gets_a_path_or_a_line(agent: Agent, tmp_path: Path) -> None:
    assert cites(agent._parts, OWN)
    other = configured(tmp_path, "memory:\n  citations: 'off'\n")
    with closing(other._parts.home):
        for result in memory_search(other._parts, OWN, "zebra", maxResults=50)["hits"]:
            assert set(result) == {"score", "text", "source", "date", "speaker"}
        assert memory_get(other._parts, OWN, DAY, 5, 1)["text"] == "The zebra Olga is mine alone."


def test_switched_on_everybody_does_but_for_what_is_kept_of_people(agent: Agent, tmp_path: Path) -> None:
    assert not cites(agent._parts, DEV)
    other = configured(tmp_path, "memory:\n  citations: 'on'\n")
    with closing(other._parts.home):
        other.memory.promote("The okapi Tilda sings", "acct:7")
        other.memory.promote("The okapi Nora dances", "acct:owner")
        assert all("citation" in result for result in memory_search(other._parts, DEV, "zebra")["hits"])
        (anns,) = [r for r in memory_search(other._parts, ANN, "okapi Tilda")["hits"] if "Tilda" in r["text"]]
        assert set(anns) == {"score", "text", "source", "date", "speaker"}
        (own,) = [r for r in memory_search(other._parts, OWN, "okapi Nora")["hits"] if "Nora" in r["text"]]
        assert own["citation"].startswith("Source: memory/_longterms/acct_owner/_index.md#L")


# reading


def test_lines_that_may_not_be_seen_are_empty_and_the_others_keep_their_numbers(agent: Agent) -> None:
    whole = DIARY.splitlines()
    for session, expected in ((OWN, {5, 9}), (DEV, {9}), (ANN, {13})):
        text = memory_get(agent._parts, session, DAY)["text"]
        assert "<!--" not in text
        lines = text.split("\n")
        assert {n for n, line in enumerate(lines, 1) if "zebra" in line} == expected
        for number in expected:
            assert lines[number - 1] == whole[number - 1]
            assert memory_get(agent._parts, session, DAY, number, 1)["text"] == whole[number - 1]
    group = memory_get(agent._parts, DEV, DAY)
    assert group == {"path": DAY, "text": "\n" * 6 + "## 2026-02-04 10:00 UTC\n\n" + whole[8], "from": 1, "lines": 9}


def test_a_file_of_a_session_is_read_by_those_who_were_there(agent: Agent) -> None:
    agent.hear("The okapi Tilda sings", session=DEV, sender="Bob", subject="acct:9", time=NOON)
    agent.talk.end(DEV)
    path = "memory/2026-02-04/group_dev.md"
    whole = (agent.files.show(path).data or b"").decode().split("\n")
    for session in (OWN, DEV):
        lines = memory_get(agent._parts, session, path)["text"].split("\n")
        assert any("Tilda" in line for line in lines)
        assert all(not line or whole[n].startswith(line) for n, line in enumerate(lines))
    for session in (ANN, Session.group("other")):
        with pytest.raises(NotFound):
            memory_get(agent._parts, session, path)


def test_what_may_not_be_seen_is_said_to_be_missing_in_the_same_words(agent: Agent) -> None:
    agent.remember("The cat is called Miso")
    agent.memory.promote("The okapi Tilda sings", "acct:7")
    agent.hear("psst", session=ANN, sender="Ann")
    agent.hear("hm", session=OWN)
    hidden = [
        (DEV, "MEMORY.md"),
        (ANN, "MEMORY.md"),
        (BEN, DAY),
        (Session.group(""), DAY),
        (BEN, "memory/_longterms/acct_7/_index.md"),
        (OWN, "memory/_longterms/acct_7/_index.md"),
        (DEV, "chat/ann"),
        (BEN, "chat/ann"),
        (OWN, "chat/ann"),
        (ANN, "chat/dm_acct_owner"),
        (OWN, "memory/1999-01-01.md"),
        (OWN, "chat/nobody"),
        (OWN, "SOUL.md"),
        (OWN, "CONFIG.md"),
        (DEV, "_shared/nothing.md"),
    ]
    for session, path in hidden:
        with pytest.raises(NotFound) as error:
            memory_get(agent._parts, session, path)
        assert str(error.value) == f"there is nothing to read at {path!r}"
    assert "Tilda" in memory_get(agent._parts, ANN, "memory/_longterms/acct_7/_index.md")["text"]


@pytest.mark.parametrize(
    "path",
    [
        "../../config.yaml",
        "memory/../../../config.yaml",
        "/etc/passwd",
        "/etc/passwd.md",
        "..",
        "./MEMORY.md",
        "memory//2026-02-04.md",
        "C:\\x.md",
        "a\nb.md",
        "a\0.md",
        "\ud800.md",
        "_shared/../main/MEMORY.md",
        "_shared/../../config.yaml",
        "chat/../MEMORY.md",
        "chat/",
        "chat/ann/../x",
        "chat/" + "a" * 5000,
        "state/ledger.db",
        ".hidden.md",
        "file:///etc/passwd",
    ],
)
def test_hostile_paths_lead_nowhere(agent: Agent, path: str) -> None:
    for session in (OWN, DEV):
        with pytest.raises((BadInput, NotFound)):
            memory_get(agent._parts, session, path)


def test_a_link_that_leads_out_is_not_followed(agent: Agent, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("- the key is under the mat\n")
    folder = tmp_path / "home/workspace/main"
    (folder / "notes.md").symlink_to(secret)
    (folder / "memory/2026-02-01.md").symlink_to(secret)
    (folder / "away").symlink_to(tmp_path)
    for path in ("notes.md", "memory/2026-02-01.md", "away/secret.md"):
        with pytest.raises((BadInput, NotFound)):
            memory_get(agent._parts, OWN, path)
    assert "mat" not in said(memory_search(agent._parts, OWN, "where is the key?", maxResults=50))


def test_a_file_of_all_is_read_by_all(agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "home/workspace/_shared/rules.md").write_text("- Nobody feeds the zebra\n")
    found = memory_get(agent._parts, DEV, "_shared/rules.md")
    assert found == {"path": "_shared/rules.md", "text": "- Nobody feeds the zebra", "from": 1, "lines": 1}


def test_long_files_come_piece_by_piece(agent: Agent) -> None:
    agent.files.put("memory/2026-02-03.md", "".join(f"- note {n}\n" for n in range(1, 501)).encode())
    read, start = [], 1
    while start:
        piece = memory_get(agent._parts, OWN, "memory/2026-02-03.md", start)
        read += piece["text"].split("\n")
        start = piece.get("next", 0)
    assert read == [f"- note {n}" for n in range(1, 501)]
    beyond = memory_get(agent._parts, OWN, "memory/2026-02-03.md", 9999)
    assert (beyond["text"], beyond["lines"], "next" in beyond) == ("", 0, False)


def test_a_conversation_is_read_by_the_numbers_of_its_messages(agent: Agent, tmp_path: Path) -> None:
    for text in ("one", "two", "three"):
        agent.hear(text, session=DEV, sender="Bob", subject="acct:9", time=NOON)
    found = memory_get(agent._parts, DEV, "chat/group_dev", 2)
    assert found == {
        "path": "chat/group_dev",
        "text": "#2 2026-02-04 12:00 Bob: two",
        "from": 2,
        "lines": 1,
        "next": 3,
    }
    every = memory_get(agent._parts, OWN, "chat/group_dev")
    assert (every["from"], every["lines"], "next" in every) == (1, 3, False)
    assert every["text"].endswith("#3 2026-02-04 12:00 Bob: three")
    files_only = configured(tmp_path, "memory:\n  search:\n    sources: [memory]\n")
    with closing(files_only._parts.home), pytest.raises(NotFound):
        memory_get(files_only._parts, OWN, "chat/group_dev")


# the index behind them


def test_the_index_tells_how_it_stands_and_is_made_anew(agent: Agent) -> None:
    agent._parts.log.hear_all(
        [Said("The zebra Dora sleeps", DEV, sender="Bob", subject=Subject("acct:9"))], vouched=True
    )
    before = agent.index.status()
    assert (before.state.chunks, before.state.waiting, before.embedder) == (0, 2, "bundled")
    assert agent.index.sync() == 2
    assert agent.index.sync() == 0
    kept = agent.index.status()
    assert (kept.state.documents, kept.state.conversations, kept.state.chunks) == (1, 1, 4)
    assert kept.state.waiting == 0
    assert kept.size > 0
    agent.index.rebuild()  # texts are weighed anew; from here on it stays as it is
    found = memory_search(agent._parts, OWN, "which zebra sleeps?")
    steps: list[tuple[int, int]] = []
    assert agent.index.rebuild(lambda done, total: steps.append((done, total))) == 2
    assert steps
    assert steps[-1][0] == steps[-1][1]
    assert agent.index.status().state == kept.state
    again = memory_search(agent._parts, OWN, "which zebra sleeps?")
    assert again == found


# called for a model


def called(agent: Agent, name: str, session: Session = OWN, **arguments: Any) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(agent.call_tool(name, arguments, session=session))
    return result


def test_a_tool_that_is_called_for_a_model_acts_as_the_agent_whoever_the_caller_is(agent: Agent) -> None:
    assert called(agent, "write_memory", content="Tea is at four") == {"done": True}
    assert agent.files.history("MEMORY.md")[0].author == Author(Role.AGENT, "main")
    assert called(agent, "propose_soul_change", text="You like tea.", reason="so it seems")["done"] is False
    assert {hit["date"] for hit in called(agent, "memory_search", DEV, query="zebra")["hits"]} == {"2026-02-04"}
    assert "Olga" not in agent.call_tool("memory_search", {"query": "zebra"}, session=DEV)


def test_what_goes_wrong_in_a_tool_is_a_result(agent: Agent) -> None:
    assert "query is missing" in called(agent, "memory_search")["error"]
    assert "there is no tool 'rm'" in called(agent, "rm", path="/")["error"]


def test_a_reader_calls_tools_that_write_in_vain(soul: Oldsoul) -> None:
    reader = soul.agent(caller=Caller.reader("bot", session=OWN))
    assert called(reader, "memory_search", query="zebra")["answer"] == "unknown"
    assert "not allowed" in called(reader, "write_memory", content="x")["error"]


def test_tools_are_not_called_for_a_session_that_the_caller_may_not_see(soul: Oldsoul) -> None:
    with pytest.raises(Refused, match="call_tool"):
        soul.agent(caller=Caller.agent("bot", session=DEV)).call_tool("memory_search", {"query": "x"}, session=OWN)
