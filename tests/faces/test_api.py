"""The HTTP API for the files of a workspace."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING, Any

from faces.served import code, serving

if TYPE_CHECKING:
    from pathlib import Path

MAIN = "/api/workspace/main"
SOUL = f"{MAIN}/file/SOUL.md"


def md5(text: str) -> str:
    return f'"{hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()}"'


# reading


def test_api_list_workspace_files(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        found = served.get(f"{MAIN}/files").json()
        assert found["agent_name"] == "main"
        assert found["next"] is None
        names = [each["filename"] for each in found["files"]]
        assert names == [each.name.path for each in served.soul.agent().files.all()]
        assert {"SOUL.md", "AGENTS.md", "MEMORY.md"} <= {*names}
        soul = next(each for each in found["files"] if each["filename"] == "SOUL.md")
        assert soul["size_bytes"] == (served.folder / "SOUL.md").stat().st_size
        assert (soul["limit_bytes"], soul["state"]) == (16384, "as seeded")
        assert datetime.fromisoformat(soul["last_modified"]).utcoffset() is not None
        page = served.get(f"{MAIN}/files?offset=1&limit=2").json()
        assert [each["filename"] for each in page["files"]] == names[1:3]
        assert page["next"] == 3
        assert served.get(f"{MAIN}/files?offset={len(names)}").json()["files"] == []


def test_api_read_workspace_file(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        answer = served.get(SOUL)
        text = (served.folder / "SOUL.md").read_text()
        assert answer.headers["etag"] == md5(text)
        found = answer.json()
        assert (found["filename"], found["content"], found["agent_name"]) == ("SOUL.md", text, "main")
        assert found["size_bytes"] == len(text.encode())
        assert found["last_modified"].endswith("Z")
        assert found["version"] == served.soul.agent().files.show("SOUL.md").version
        assert served.get(f"{MAIN}/file/agents/memory-miner/SOUL.md").json()["content"].startswith("#")
        assert code(served.get(f"{MAIN}/file/rooms/dev.md")) == (404, "not_found")
        assert code(served.get(f"{MAIN}/file/soul")) == (422, "bad_name")
        assert code(served.get(f"{MAIN}/file/soul.md")) == (404, "not_found")
        assert code(served.get("/api/workspace/nobody/file/SOUL.md")) == (404, "not_found")


def test_a_file_that_is_no_text_says_so(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        (served.folder / "TOOLS.md").write_bytes(b"caf\xe9\n")
        found = served.get(f"{MAIN}/file/TOOLS.md").json()
        assert (found["content"], found["size_bytes"], found["is_text"]) == ("caf�\n", 5, False)


def test_the_daily_logs_are_listed_and_read_by_their_date(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.soul.agent().talk.append_daily_log("Planted tulips")
        found = served.get(f"{MAIN}/memory/daily").json()
        assert [each["filename"] for each in found["files"]] == ["memory/2026-02-04.md"]
        assert (found["files"][0]["date"], found["files"][0]["entries"]) == ("2026-02-04", 1)
        answer = served.get(f"{MAIN}/memory/daily/2026-02-04")
        assert "Planted tulips" in answer.json()["content"]
        assert answer.headers["etag"] == md5(answer.json()["content"])
        assert code(served.get(f"{MAIN}/memory/daily/2026-02-03")) == (404, "not_found")
        assert code(served.get(f"{MAIN}/memory/daily/yesterday")) == (422, "invalid")


def test_the_context_report_tells_which_files_a_prompt_loads(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        found = served.get("/api/agents/main/context-report").json()
        states = {each["name"]: each["state"] for each in found["files"]}
        assert states["SOUL.md"] == "loaded"
        assert states["TOOLS.md"] == "missing"
        assert found["tokens"] > 500
        served.put(f"{MAIN}/file/TOOLS.md", "x" * 15000, If_None_Match="*")
        later = served.get("/api/agents/main/context-report").json()
        assert any("TOOLS.md" in warning for warning in later["warnings"])
        in_room = served.get("/api/agents/main/context-report?room=dev").json()
        assert "MEMORY.md" not in {each["name"] for each in in_room["files"] if each["state"] == "loaded"}


# writing


def test_api_update_workspace_file(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        tag = served.get(SOUL).headers["etag"]
        answer = served.put(SOUL, "# Soul\n\nBe kind.\n", If_Match=tag)
        assert answer.status_code == 200
        assert (served.folder / "SOUL.md").read_text() == "# Soul\n\nBe kind.\n"
        found = answer.json()
        assert (found["filename"], found["size_bytes"], found["agent_name"]) == ("SOUL.md", 17, "main")
        assert answer.headers["etag"] == md5("# Soul\n\nBe kind.\n")
        change = served.soul.agent().files.change(found["change"])
        assert (str(change.author.role), change.author.id) == ("operator", "acct:owner")
        again = served.put(SOUL, "# Soul\n\nBe brave.\n", If_Match=answer.headers["etag"])
        assert again.status_code == 200


def test_a_new_file_is_created_only_where_there_is_none(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        room = f"{MAIN}/file/rooms/dev.md"
        assert code(served.put(room, "- Tea at four\n", If_Match='"x"')) == (409, "conflict")
        assert served.put(room, "- Tea at four\n", If_None_Match="*").status_code == 200
        assert code(served.put(room, "- Tea at five\n", If_None_Match="*")) == (409, "conflict")
        assert served.put(room, "- Tea at five\n", If_Match="*").status_code == 200
        assert "five" in (served.folder / "rooms/dev.md").read_text()


def test_api_path_traversal_blocked(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        (tmp_path / "home/secret.md").write_text("secret")
        for path in (
            "../secret.md",
            "..%2F..%2Fsecret.md",
            "%2e%2e/%2e%2e/secret.md",
            "/etc/passwd",
            "rooms/../../x.md",
        ):
            for method in ("GET", "PUT", "DELETE"):
                body: Any = {"json": {"content": "x"}} if method == "PUT" else {}
                answer = served.ask(method, f"{MAIN}/file/{path}", **body)
                assert answer.status_code in (404, 405, 422), path
                assert "secret" not in answer.json().get("content", "")


def test_api_file_size_limit(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        before = (served.folder / "SOUL.md").read_bytes()
        answer = served.put(SOUL, "x" * 16385, If_Match=served.get(SOUL).headers["etag"])
        assert code(answer) == (400, "too_large")
        assert (answer.json()["size"], answer.json()["limit"]) == (16385, 16384)
        assert (served.folder / "SOUL.md").read_bytes() == before


def test_api_allowlist_enforced(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        for path in ("notes.md", "BOOT.md", "skills/x/SKILL.md", "SOUL.txt", "sub/SOUL.md", "NUL.md", "..."):
            assert served.put(f"{MAIN}/file/{path}", "x", If_None_Match="*").status_code == 422, path
        for path in ("memory/2026-02-04.md", "memory/x.md", "CORRECTIONS.md", "agents/soul-keeper/SOUL.md"):
            answer = served.put(f"{MAIN}/file/{path}", "x", If_Match="*")
            assert code(answer) == (405, "read_only"), path
            assert answer.headers["allow"] == "GET"
        for path in ("AGENTS.md", "USER.md", "MEMORY.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md", "CONFIG.md"):
            place = f"{MAIN}/file/{path}"
            tag = served.get(place).headers.get("etag")
            assert served.put(place, "# A\n", **({"If_Match": tag} if tag else {"If_None_Match": "*"})).is_success, path


def test_api_etag_conflict(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        memory = f"{MAIN}/file/MEMORY.md"
        text = "# Memory\n\n- The cat is called Mia\n- The dog is called Rex\n"
        first = served.put(memory, text, If_Match="*")
        theirs = text.replace("Rex", "Bello")
        second = served.put(memory, theirs, If_Match=first.headers["etag"])
        answer = served.put(memory, text.replace("Mia", "Leo"), If_Match=first.headers["etag"])
        assert code(answer) == (409, "conflict")
        told = answer.json()
        assert told["standing"]["content"] == second.json()["content"]
        assert told["standing"]["version"] == second.json()["version"]
        assert "Leo" in told["suggestion"]["content"]
        assert "Bello" in told["suggestion"]["content"]
        assert (served.folder / "MEMORY.md").read_text() == second.json()["content"]
        unknown = served.put(memory, "x", If_Match='"0"').json()
        assert unknown["suggestion"] is None
        weak = f"W/{second.headers['etag']}"
        assert code(served.put(memory, "x", If_Match=weak)) == (409, "conflict")
        assert served.put(memory, "# M\n", If_Match=f'"0", {second.headers["etag"]}').is_success


def test_an_edit_on_disk_counts_as_one_that_came_between(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        tag = served.get(SOUL).headers["etag"]
        (served.folder / "SOUL.md").write_text("# Mine\n")
        answer = served.put(SOUL, "# Theirs\n", If_Match=tag)
        assert code(answer) == (409, "conflict")
        assert answer.json()["standing"]["content"] == "# Mine\n"


def test_api_etag_required(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert code(served.put(SOUL, "# Soul\n")) == (428, "if_match_missing")


def test_a_file_is_deleted_after_a_confirmation(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert code(served.ask("DELETE", SOUL)) == (400, "bad_input")
        assert code(served.ask("DELETE", f"{SOUL}?confirm=MEMORY.md")) == (400, "bad_input")
        stale = {"If-Match": '"0"'}
        assert code(served.ask("DELETE", f"{SOUL}?confirm=SOUL.md", headers=stale)) == (409, "conflict")
        answer = served.ask("DELETE", f"{SOUL}?confirm=SOUL.md")
        assert not (served.folder / "SOUL.md").exists()
        served.soul.agent().undo(answer.json()["change"])
        assert (served.folder / "SOUL.md").exists()
        assert code(served.ask("DELETE", f"{MAIN}/file/memory/2026-02-04.md?confirm=memory/2026-02-04.md")) == (
            405,
            "read_only",
        )


def test_a_file_is_reset_to_its_template(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        before = served.get(SOUL)
        served.put(SOUL, "# Other\n", If_Match=before.headers["etag"])
        answer = served.ask("POST", f"{SOUL}/reset")
        assert answer.json()["content"] == before.json()["content"]
        assert answer.headers["etag"] == before.headers["etag"]


# what is said when it goes wrong


def test_what_is_wrong_with_a_request_is_told_place_by_place(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        answer = served.ask("PUT", SOUL, json={"content": 7}, headers={"If-Match": "*"})
        assert code(answer) == (422, "invalid")
        assert [each["where"] for each in answer.json()["errors"]] == ["body.content"]
        assert code(served.ask("PUT", SOUL, content=b"{", headers={"If-Match": "*"})) == (422, "invalid")
        half = served.ask("PUT", SOUL, content=b'{"content": "\\ud800"}', headers={"If-Match": "*"})
        assert half.status_code == 422
        assert code(served.get("/api/nothing")) == (404, "unknown_path")
        assert served.get("/v1/nothing").json()["error"]["code"] == "unknown_url"
        assert served.ask("POST", "/v1/models").status_code == 405
        for path, known in ((SOUL, "DELETE, GET, PUT"), (f"{SOUL}/reset", "POST"), ("/api/health", "GET")):
            answer = served.ask("PATCH", path)
            assert code(answer) == (405, "wrong_method")
            assert answer.headers["allow"] == known
        for method in ("GET", "OPTIONS", "PUT"):
            answer = served.ask(method, f"{SOUL}/reset")
            assert code(answer) == (405, "wrong_method")
            assert answer.headers["allow"] == "POST"


def test_bodies_and_values_that_make_no_sense_are_refused_and_break_nothing(tmp_path: Path) -> None:
    bodies = (b"", b"null", b"[]", b"[" * 100_000, b'{"content": NaN}', b'{"content": ' + b"1" * 5000 + b"}", b"\xff")
    with serving(tmp_path) as served:
        before = (served.folder / "SOUL.md").read_bytes()
        for body in bodies:
            answer = served.ask(
                "PUT", SOUL, content=body, headers={"if-match": "*", "content-type": "application/json"}
            )
            assert code(answer)[0] in (400, 422), body[:20]
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            more = {"if-match": "*", "content-type": kind}
            assert code(served.ask("PUT", SOUL, content=b'{"content": "x"}', headers=more))[0] == 422, kind
        for query in ("offset=-1", "limit=0", "limit=1e3", "offset=" + "9" * 5000, "limit=%00"):
            assert code(served.get(f"{MAIN}/files?{query}")) == (422, "invalid"), query
        for room in ("%00", "%ff", "a" * 5000, "%F0%9F%90%88", "..", "%0a"):
            assert served.get(f"/api/agents/main/context-report?room={room}").status_code in (200, 400, 422), room
        assert (served.folder / "SOUL.md").read_bytes() == before
