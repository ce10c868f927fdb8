"""What the operator decides on a base: it is done to the version that stands, or it is a `Conflict`, whoever else writes."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from oldsoul import Agent, Oldsoul
from oldsoul.errors import BadInput, Conflict, NotFound
from oldsoul.values.changes import Add, Author, ChangeSet, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oldsoul.values.names import Name

USER = "USER.md"
WRITERS = 6


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    with Oldsoul.open(tmp_path / "home") as soul:
        yield soul.agent()


def version(agent: Agent, path: str = USER) -> str:
    return agent.files.show(path).version


def user(agent: Agent) -> Name:
    return agent._parts.name(USER)


def proposed(agent: Agent) -> str:
    """A proposal that would add to USER.md."""
    add = Add(user(agent), "Likes tulips")
    made = ChangeSet((add,), Author(Role.KEEPER, "mine"), "said so", "k1", suggested=True)
    agent._parts.home.ledger.apply(made)
    (waits,) = agent.review.proposals()
    return waits.id


def test_an_exact_put_needs_a_base_and_takes_the_one_that_stands(agent: Agent) -> None:
    base = version(agent)
    with pytest.raises(BadInput):
        agent.files.put(USER, b"# A\n", exact=True)
    agent.files.put(USER, b"# A\n\n- one\n", base=base, exact=True)
    with pytest.raises(Conflict):
        agent.files.put(USER, b"# A\n\n- two\n", base=base, exact=True)
    assert agent.files.show(USER).data == b"# A\n\n- one\n"


def test_a_put_that_is_not_exact_is_merged_with_what_changed_since(agent: Agent) -> None:
    agent.files.put(USER, b"# A\n\n- one\n\n# B\n\n- two\n")
    base = version(agent)
    agent.files.put(USER, b"# A\n\n- one\n- more\n\n# B\n\n- two\n", base=base)
    agent.files.put(USER, b"# A\n\n- one\n\n# B\n\n- two\n- other\n", base=base)
    data = agent.files.show(USER).data or b""
    assert b"- more" in data
    assert b"- other" in data


def test_an_edit_made_outside_is_a_conflict_too(agent: Agent) -> None:
    base = version(agent)
    folder = agent._parts.home.world.places.folder(agent.id)
    with open(f"{folder}/{USER}", "ab") as file:  # noqa: PTH123 - as an editor does
        file.write(b"- by hand\n")
    with pytest.raises(Conflict):
        agent.files.put(USER, b"# A\n", base=base, exact=True)
    with pytest.raises(Conflict):
        agent.files.delete(USER, base=base)
    assert b"- by hand" in (agent.files.show(USER).data or b"")


def test_delete_takes_a_document_away_and_undo_brings_it_back(agent: Agent) -> None:
    data = agent.files.show(USER).data
    change = agent.files.delete(USER, base=version(agent)).change
    with pytest.raises(NotFound):
        agent.files.show(USER)
    with pytest.raises(NotFound):
        agent.files.delete(USER)
    assert change is not None
    agent.undo(change.id)
    assert agent.files.show(USER).data == data


def test_a_stale_base_is_a_conflict_for_delete_and_reset(agent: Agent) -> None:
    stale = version(agent)
    agent.files.put(USER, b"# Mine\n")
    for verb in (agent.files.delete, agent.files.reset):
        with pytest.raises(Conflict):
            verb(USER, base=stale)
        assert agent.files.show(USER).data == b"# Mine\n"
    agent.files.reset(USER, base=version(agent))
    assert agent.files.show(USER).data != b"# Mine\n"


def test_a_stale_base_is_a_conflict_for_undo(agent: Agent) -> None:
    stale = version(agent)
    change = agent.files.put(USER, b"# Mine\n").change
    assert change is not None
    with pytest.raises(Conflict):
        agent.undo(change.id, bases={user(agent): stale})
    assert agent.files.show(USER).data == b"# Mine\n"
    agent.undo(change.id, bases={user(agent): version(agent)})
    assert version(agent) == stale


def test_a_stale_base_is_a_conflict_for_approve_and_the_proposal_waits_on(agent: Agent) -> None:
    waits = proposed(agent)
    stale = version(agent)
    agent.files.put(USER, b"# Mine\n\n- one\n")
    with pytest.raises(Conflict):
        agent.review.approve(waits, bases={user(agent): stale})
    assert [proposal.id for proposal in agent.review.proposals()] == [waits]
    assert b"tulips" not in (agent.files.show(USER).data or b"")
    agent.review.approve(waits, bases={user(agent): version(agent)})
    assert b"tulips" in (agent.files.show(USER).data or b"")
    assert agent.review.proposals() == []


def raced(*attempts: Callable[[], object]) -> list[int]:
    """Which of some attempts went through, made all at once; the others were conflicts, or came too late."""
    done: list[int] = []
    foreign: list[BaseException] = []
    start = threading.Barrier(len(attempts))

    def attempt(number: int, verb: Callable[[], object]) -> None:
        start.wait()
        try:
            verb()
            done.append(number)
        except (Conflict, NotFound):
            pass
        except BaseException as error:  # noqa: BLE001 - it is what is looked for
            foreign.append(error)

    threads = [threading.Thread(target=attempt, args=each) for each in enumerate(attempts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert foreign == []
    return done


def test_of_many_who_put_on_one_base_one_does(agent: Agent) -> None:
    for turn in range(5):
        base = version(agent)

        def put(number: int, base: str = base, turn: int = turn) -> Callable[[], object]:
            return lambda: agent.files.put(USER, f"# {turn} {number}\n".encode(), base=base, exact=True)

        (winner,) = raced(*map(put, range(WRITERS)))
        assert agent.files.show(USER).data == f"# {turn} {winner}\n".encode()


def test_of_all_who_decide_on_one_base_one_does(agent: Agent) -> None:
    for turn in range(5):
        change = agent.files.put(USER, f"# Mine {turn}\n".encode()).change
        assert change is not None
        base, number, yours = version(agent), change.id, f"# Yours {turn}\n".encode()
        (winner,) = raced(
            lambda base=base, yours=yours: agent.files.put(USER, yours, base=base, exact=True),  # type: ignore[misc]
            lambda base=base: agent.files.delete(USER, base=base),  # type: ignore[misc]
            lambda base=base: agent.files.reset(USER, base=base),  # type: ignore[misc]
            lambda base=base, number=number: agent.undo(number, bases={user(agent): base}),  # type: ignore[misc]
        )
        standing = agent._parts.read(user(agent)).data
        assert (standing == yours, standing is None) == (winner == 0, winner == 1)
