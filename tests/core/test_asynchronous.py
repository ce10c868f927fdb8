"""The verbs for an event loop: the same ones, awaited; a call that is cancelled tears no write."""

from __future__ import annotations

import asyncio
import inspect
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul import Agent, AsyncOldsoul, Job, Oldsoul, Session
from oldsoul.app.asynchronous import SERVICES, AsyncAgent, AsyncJob
from oldsoul.app.memory_requests import MemoryWriter
from oldsoul.errors import Closed, NotFound

if TYPE_CHECKING:
    from pathlib import Path

ME = Session.dm("acct:owner", id="dm")


def test_the_services_of_an_agent_are_all_there() -> None:
    assert {name for name, one in inspect.getmembers(Agent) if isinstance(one, cached_property)} == SERVICES.keys()


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        *((Agent, AsyncAgent), (Oldsoul, AsyncOldsoul), (Job, AsyncJob)),
        *((kind, type(getattr(AsyncOldsoul.open("x").agent(), name))) for name, kind in SERVICES.items()),
    ],
)
def test_every_public_verb_is_there_to_be_awaited(kind: type, made: type) -> None:
    for name, verb in inspect.getmembers(kind):
        if name.startswith("_") or name in ("agent", "open"):
            continue
        there = getattr(made, name)
        if isinstance(verb, property):
            assert inspect.iscoroutinefunction(there)
        elif isinstance(verb, cached_property):
            assert isinstance(there, property)
        elif inspect.isfunction(verb):
            assert inspect.iscoroutinefunction(there)
            assert there.__doc__
            if name != "close":
                assert inspect.signature(there) == inspect.signature(verb)


def test_a_loop_remembers_and_recalls(tmp_path: Path) -> None:
    async def life() -> None:
        async with AsyncOldsoul.open(tmp_path / "home") as soul:
            agent = soul.agent("main")
            await agent.remember("Miso the cat is fed at seven")
            found = await agent.recall("Miso the cat", session=ME)
            assert "seven" in found.hits[0].text
            assert (await agent.call(Agent.recall, "Miso the cat", session=ME)).hits[0].text == found.hits[0].text
            assert (await agent.settings()).memory.enabled
            assert await agent.review.proposals() == []
            assert await soul.agents() == ["main"]
            assert repr(agent) == "<AsyncAgent main for operator acct:owner>"
            several = await asyncio.gather(*(agent.hear(f"Parcel {n}", session=ME) for n in range(10)))
            assert len({heard.message.id for heard in several}) == 10
            with pytest.raises(NotFound):
                await soul.agent("nobody").files.show("MEMORY.md")
        for late in (soul.agents(), agent.files.all(), soul.agent().files.all()):
            with pytest.raises(Closed):
                await late
        await soul.close()

    asyncio.run(life())


def test_a_job_is_awaited_too(tmp_path: Path) -> None:
    async def life() -> None:
        async with AsyncOldsoul.open(tmp_path / "home") as soul:
            job = await soul.agent().start("rebuild_index")
            assert isinstance(job, AsyncJob)
            assert (await job.wait(300)).id == job.id
            assert str(await job.state()) == "done"
            assert [each.id for each in await soul.jobs()] == [(await soul.job(job.id)).id]

    asyncio.run(life())


def test_a_write_whose_caller_is_cancelled_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go = threading.Event(), threading.Event()
    remember = MemoryWriter.remember

    def slow(self: MemoryWriter, *args: Any, **more: Any) -> Any:
        begun.set()
        assert go.wait(300)
        return remember(self, *args, **more)

    monkeypatch.setattr(MemoryWriter, "remember", slow)

    async def life() -> None:
        async with AsyncOldsoul.open(tmp_path / "home") as soul:
            call = asyncio.create_task(soul.agent().remember("Miso the cat is fed at seven"))
            await asyncio.to_thread(begun.wait, 30)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            go.set()

    asyncio.run(life())
    with Oldsoul.open(tmp_path / "home") as soul:
        assert [entry.text for entry in soul.agent().memory.entries(words="Miso")] != []


def test_what_fails_after_its_caller_was_cancelled_disturbs_nobody(tmp_path: Path) -> None:
    told: list[object] = []

    async def life() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context))
        async with AsyncOldsoul.open(tmp_path / "home") as soul:
            go = threading.Event()

            def failing(_: Agent) -> None:
                go.wait(300)
                raise NotFound("nobody hears this")

            call = asyncio.create_task(soul.agent().call(failing))
            await asyncio.sleep(0.1)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            go.set()

    asyncio.run(life())
    assert told == []


def test_who_waits_for_events_is_told_when_the_home_is_closed(tmp_path: Path) -> None:
    async def life() -> None:
        async with AsyncOldsoul.open(tmp_path / "home") as soul:
            await soul.agent().remember("Miso the cat is fed at seven")
            waiting = asyncio.create_task(soul.events("now", wait=60))
            await asyncio.sleep(0.2)
        with pytest.raises(Closed):
            await asyncio.wait_for(waiting, 10)

    asyncio.run(life())


def test_a_home_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")

    async def life() -> None:
        async with AsyncOldsoul.open(tmp_path / "home"):
            pass

    with pytest.raises(Exception) as caught:
        asyncio.run(life())
    with pytest.raises(type(caught.value)):
        Oldsoul.open(tmp_path / "home")
