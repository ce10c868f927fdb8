"""Proposals, audiences and edits made outside: what waits, what may be shown to whom, and what a person saved."""

from __future__ import annotations

import base64
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger_bench import (
    AGENT,
    ARCHIVE,
    BY_GUEST,
    BY_OPERATOR,
    CONFLICTS,
    CORRECTIONS,
    DAILY,
    FROM_WEB,
    GUEST,
    IN_ROOM,
    KINDS,
    MEMORY,
    MINER,
    OPERATOR,
    OTHER_ROOM,
    P7,
    PERSON,
    R1,
    ROOM,
    SESSION,
    SOUL,
    SOUL_KEEPER,
    USER,
    House,
    house_of,
    said,
)
from oldsoul.errors import BadInput, Conflict, Refused
from oldsoul.ledger import LedgerOptions, Proposal
from oldsoul.values.audience import PUBLIC
from oldsoul.values.changes import Add, Author, Evidence, Put, Remove, Replace, Role, SetField
from oldsoul.values.history import ABSENT
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

TRAITS = "# Soul\n\n- kind <!--os 0000000001-->\n- curious <!--os 0000000002-->\n- calm <!--os 0000000003-->\n"


def propose(house: House, *words: str, key: str = "") -> Proposal:
    """An agent's wish for its soul, waiting."""
    outcome = house.do(*(Add(SOUL, text) for text in words), author=AGENT, evidence=BY_OPERATOR, key=key)
    assert outcome.change is None
    assert outcome.proposal is not None
    return outcome.proposal


# proposals


def test_an_agents_own_edit_of_its_soul_waits(house: House) -> None:
    house.put(SOUL, TRAITS)
    proposal = propose(house, "funny")
    assert house.text(SOUL) == TRAITS
    assert house.ledger.proposals("main") == [proposal]
    assert house.ledger.proposal("main", proposal.id) == proposal
    ((name, (before, after)),) = house.ledger.preview("main", proposal.id).items()
    assert (name, before) == (SOUL, TRAITS.encode())
    assert after is not None
    assert after.startswith(TRAITS.encode() + b"- funny <!--os ")
    assert house.text(SOUL) == TRAITS


@pytest.mark.parametrize(
    "name", [SOUL, USER, Name("main", "AGENTS.md"), Name("main", "TOOLS.md"), Name("main", "CONFIG.md")]
)
def test_what_is_the_operators_waits_for_everyone_else_and_nothing_untrusted_gets_that_far(
    house: House, name: Name
) -> None:
    for author, evidence in ((AGENT, ()), (GUEST, BY_GUEST), (MINER, BY_OPERATOR)):
        assert house.do(Add(name, "x"), author=author, evidence=evidence).proposal is not None
    if name.path in ("SOUL.md", "USER.md", "AGENTS.md"):
        with pytest.raises(Refused):
            house.do(Add(name, "x"), author=MINER, evidence=FROM_WEB)
    assert house.ledger.read(name).data is None


def test_a_set_that_waits_in_part_waits_whole(house: House) -> None:
    outcome = house.do(Add(MEMORY, "x"), Add(SOUL, "y"), author=MINER, evidence=BY_OPERATOR)
    assert outcome.proposal is not None
    assert house.ledger.read(MEMORY).data is None
    house.ledger.approve("main", outcome.proposal.id, OPERATOR)
    assert house.entries(MEMORY) == ["x"]
    assert house.entries(SOUL) == ["y"]


def test_what_is_approved_is_recorded_with_who_asked_and_who_said_yes(house: House) -> None:
    proposal = propose(house, "funny", key="wish")
    outcome = house.ledger.approve("main", proposal.id, OPERATOR)
    assert outcome.change is not None
    assert outcome.change.author == AGENT
    assert outcome.change.notes == {"proposal": proposal.id, "approved_by": str(OPERATOR)}
    assert outcome.change.evidence == BY_OPERATOR
    assert house.ledger.proposals("main") == []
    (decided,) = house.ledger.proposals("main", state="approved")
    assert decided.id == proposal.id
    with pytest.raises(Conflict, match="already approved"):
        house.ledger.approve("main", proposal.id, OPERATOR)
    again = house.do(Add(SOUL, "funny"), author=AGENT, key="wish")
    assert (again.repeated, again.change) == (True, outcome.change)


def test_a_rejected_proposal_is_closed_for_good(house: House) -> None:
    house.put(SOUL, TRAITS)
    proposal = propose(house, "funny", key="wish")
    closed = house.ledger.reject("main", proposal.id, OPERATOR, "not you")
    assert (closed.state, closed.note) == ("rejected", "not you")
    assert house.ledger.proposals("main") == []
    assert "not you" in house.ledger.history("main")[0].reason
    for again in (house.ledger.approve, house.ledger.reject):
        with pytest.raises(Conflict, match="already rejected"):
            again("main", proposal.id, OPERATOR)
    assert house.do(Add(SOUL, "funny"), author=AGENT, key="wish").repeated
    assert house.text(SOUL) == TRAITS


def test_only_the_operator_decides(house: House) -> None:
    proposal = propose(house, "funny")
    entry = house.add(MEMORY, "a memory")
    for author in (AGENT, MINER, GUEST, Author(Role.SYSTEM), Author(Role.OUTSIDE)):
        with pytest.raises(Refused, match="only the operator"):
            house.ledger.approve("main", proposal.id, author)
        with pytest.raises(Refused, match="only the operator"):
            house.ledger.reject("main", proposal.id, author)
        with pytest.raises(Refused, match="only the operator"):
            house.ledger.forget(MEMORY, entry, author, "please")


def test_an_edited_proposal_is_written_as_edited(house: House) -> None:
    house.put(SOUL, TRAITS)
    proposal = propose(house, "funny")
    house.ledger.approve("main", proposal.id, OPERATOR, edited={SOUL: b"# Soul\n\n- funny at times\n"})
    assert house.text(SOUL) == "# Soul\n\n- funny at times\n"
    assert house.ledger.proposals("main") == []
    other = propose(house, "loud")
    for elsewhere in (MEMORY, Name("other", "SOUL.md")):
        with pytest.raises(BadInput):
            house.ledger.approve("main", other.id, OPERATOR, edited={elsewhere: b"x"})


def test_a_proposal_for_a_document_that_moved_elsewhere_writes_just_the_lines_that_were_shown(house: House) -> None:
    house.put(SOUL, TRAITS)
    outcome = house.do(Replace(SOUL, "0000000002", "very curious"), author=AGENT, evidence=BY_OPERATOR)
    assert outcome.proposal is not None
    house.do(Replace(SOUL, "0000000001", "kinder"), Add(SOUL, "tidy"))
    house.ledger.approve("main", outcome.proposal.id, OPERATOR)
    assert house.entries(SOUL) == ["kinder", "very curious", "calm", "tidy"]


def test_a_proposal_for_a_place_that_moved_is_shown_again_before_it_is_approved(house: House) -> None:
    house.put(SOUL, TRAITS)
    outcome = house.do(Replace(SOUL, "0000000002", "very curious"), author=AGENT, evidence=BY_OPERATOR)
    assert outcome.proposal is not None
    house.do(Replace(SOUL, "0000000002", "a bit curious"))
    with pytest.raises(Conflict, match="look at it again"):
        house.ledger.approve("main", outcome.proposal.id, OPERATOR)
    assert "a bit curious" in house.text(SOUL)
    ((before, after),) = house.ledger.preview("main", outcome.proposal.id).values()
    assert b"a bit curious" in (before or b"")
    assert b"very curious" in (after or b"")
    house.ledger.approve("main", outcome.proposal.id, OPERATOR)
    assert house.entries(SOUL) == ["kind", "very curious", "calm"]


def test_a_proposal_whose_entry_is_gone_says_so_and_can_be_rejected(house: House) -> None:
    house.put(SOUL, TRAITS)
    outcome = house.do(Replace(SOUL, "0000000002", "very curious"), author=AGENT, evidence=BY_OPERATOR)
    assert outcome.proposal is not None
    house.do(Remove(SOUL, "0000000002"))
    with pytest.raises(Conflict, match="reject it"):
        house.ledger.approve("main", outcome.proposal.id, OPERATOR)
    with pytest.raises(Conflict, match="reject it"):
        house.ledger.preview("main", outcome.proposal.id)
    house.ledger.reject("main", outcome.proposal.id, OPERATOR)


MOVES = st.lists(
    st.tuples(st.sampled_from(["add", "replace", "remove"]), st.integers(0, 5), st.integers(0, 99)), max_size=3
)


def wish(what: str, which: int, value: int) -> Add | Replace | Remove:
    entry = f"000000000{which % 3 + 1}"
    if what == "add":
        return Add(SOUL, f"words {value}", section="Notes" if which % 2 else "")
    return Replace(SOUL, entry, f"other {value}") if what == "replace" else Remove(SOUL, entry)


@given(KINDS, MOVES.filter(bool), MOVES)
def test_approving_writes_exactly_the_lines_that_were_shown_or_nothing(
    kind: str, asked: list[tuple[str, int, int]], meanwhile: list[tuple[str, int, int]]
) -> None:
    with house_of(kind) as house:
        house.put(SOUL, TRAITS)
        once = {(w, i % 3 if w != "add" else i): (w, i, v) for w, i, v in asked}
        touched = {i % 3 for w, i, _ in once.values() if w != "add"}
        if len(touched) < sum(w != "add" for w, _, _ in once.values()):
            return
        outcome = house.do(*(wish(*step) for step in once.values()), author=AGENT, evidence=BY_OPERATOR)
        assert outcome.proposal is not None
        for step in meanwhile:
            if wish(*step).__class__ is Add or getattr(wish(*step), "entry", "") in house.ids(SOUL):
                house.do(wish(*step))
        before = house.ledger.read(SOUL).data or b""
        shown = house.ledger.proposal("main", outcome.proposal.id).shown
        try:
            house.ledger.approve("main", outcome.proposal.id, OPERATOR)
        except Conflict:
            assert house.ledger.read(SOUL).data == before
            return
        ((_, gone, new),) = shown
        left = before.splitlines(keepends=True)
        for line in gone:
            left.remove(base64.b64decode(line))
        expected = sorted([*left, *(base64.b64decode(line) for line in new)])
        assert sorted((house.ledger.read(SOUL).data or b"").splitlines(keepends=True)) == expected


# the soul that grows by itself

CORRECTION = (said(ref="main/CORRECTIONS.md#k3f9w2m7qa"),)


@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_a_soul_grows_by_itself_only_by_its_keeper_and_only_from_the_operators_words(kind: str) -> None:
    with house_of(kind, LedgerOptions(growth="auto")) as house:
        house.put(SOUL, TRAITS)
        assert house.do(Add(SOUL, "brief"), author=SOUL_KEEPER, evidence=CORRECTION).change is not None
        archived = (said(ref="main/Archive/Corrections/2026-01.md#k3f9w2m7qa"),)
        assert house.do(Replace(SOUL, "0000000001", "kinder"), author=SOUL_KEEPER, evidence=archived).change is not None
        waiting: list[tuple[Author, tuple[Evidence, ...]]] = [
            (SOUL_KEEPER, ()),
            (SOUL_KEEPER, (*CORRECTION, *BY_GUEST)),
            (AGENT, CORRECTION),
            (MINER, CORRECTION),
            (GUEST, CORRECTION),
        ]
        for author, evidence in waiting:
            outcome = house.do(Add(SOUL, "more"), author=author, evidence=evidence)
            assert outcome.change is None, (author, evidence)
        for name in (USER, Name("main", "AGENTS.md")):
            assert house.do(Add(name, "x"), author=SOUL_KEEPER, evidence=CORRECTION).change is None
        assert "more" not in house.text(SOUL)


# audiences


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        (ROOM, BY_OPERATOR),
        (ROOM, BY_GUEST),
        (OTHER_ROOM, IN_ROOM),
        (PERSON, BY_OPERATOR),
        (PERSON, IN_ROOM),
        (Name("main", "memory/_longterms/acct_8/_index.md"), BY_GUEST),
        (ROOM, (*IN_ROOM, said(Origin.PARTICIPANT, P7))),
        (ROOM, ()),
    ],
)
def test_words_never_come_before_more_people_than_what_they_rest_on(
    house: House, name: Name, evidence: tuple[Evidence, ...]
) -> None:
    with pytest.raises(Refused, match="only the operator can make it visible"):
        house.do(Add(name, "a secret"), author=MINER, evidence=evidence)
    assert house.do(Add(name, "a secret")).change is not None


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        *(
            (name, e)
            for name in (MEMORY, DAILY, SESSION, ARCHIVE)
            for e in (BY_OPERATOR, BY_GUEST, IN_ROOM, FROM_WEB, ())
        ),
        (ROOM, IN_ROOM),
        (ROOM, FROM_WEB),
        (PERSON, BY_GUEST),
    ],
)
def test_words_go_where_those_who_may_see_them_are(house: House, name: Name, evidence: tuple[Evidence, ...]) -> None:
    assert house.add(name, "words", MINER, evidence)


def test_a_mark_that_would_widen_is_refused_and_one_that_fits_is_kept(house: House) -> None:
    for mark in ("public", "room:r1", "person:acct:7"):
        with pytest.raises(Refused):
            house.do(
                Add(DAILY, "x", title="2026-02-04 12:00", fields={"aud": mark}), author=MINER, evidence=BY_OPERATOR
            )
    outcome = house.do(
        Add(DAILY, "x", title="2026-02-04 12:00", fields={"aud": str(R1)}), author=MINER, evidence=IN_ROOM
    )
    assert outcome.change is not None
    assert house.entry(DAILY, outcome.change.effects[0].entries[0]).fields["aud"] == "room:r1"


def test_approval_widens_and_says_so_first(house: House) -> None:
    proposal = propose(house, "the operator likes tea")
    assert proposal.warnings == ("approving this shows everyone text that only you could see",)
    house.ledger.approve("main", proposal.id, OPERATOR)
    assert house.entries(SOUL) == ["the operator likes tea"]


# edits made outside

LIST = b"# Room\n\n- one <!--os 0000000001-->\n- two <!--os 0000000002-->\n- three <!--os 0000000003-->\n"


def test_a_save_by_hand_is_recorded_as_somebody_elses(house: House) -> None:
    house.bench.save(ROOM, b"- found\n")
    assert house.ledger.read(ROOM).data == b"- found\n"
    house.clock.advance(timedelta(hours=2))
    house.bench.save(ROOM, b"- found\n- more\n")
    house.ledger.read(ROOM)
    house.bench.save(ROOM, None)
    assert house.ledger.read(ROOM).data is None
    history = house.ledger.history("main", name=ROOM)
    assert [c.author.role for c in history] == [Role.OUTSIDE] * 3
    assert [c.effects[0].after == ABSENT for c in history] == [True, False, False]
    assert [house.ledger.content(c.effects[0].after) for c in history] == [None, b"- found\n- more\n", b"- found\n"]
    house.ledger.undo(history[0].id, OPERATOR)
    assert house.text(ROOM) == "- found\n- more\n"


def test_the_whole_workspace_is_looked_at_when_asked(house: House) -> None:
    house.put(ROOM, "- a\n")
    house.bench.save(SOUL, b"- new\n")
    house.bench.save(ROOM, None)
    house.ledger.notice("main")
    assert [(c.author.role, c.effects[0].name) for c in house.ledger.history("main", limit=2)] == [
        (Role.OUTSIDE, ROOM),
        (Role.OUTSIDE, SOUL),
    ]
    house.ledger.notice("main")
    assert len(house.ledger.history("main")) == 3


def test_a_save_from_a_stale_buffer_is_merged_with_what_was_written_meanwhile(house: House) -> None:
    house.put(ROOM, LIST.decode())
    house.do(Add(ROOM, "four"), Replace(ROOM, "0000000001", "one, reworded"))
    house.clock.advance(timedelta(minutes=50))
    house.bench.save(ROOM, LIST.replace(b"- two", b"- two, by hand"))
    assert house.entries(ROOM) == ["one, reworded", "two, by hand", "three", "four"]
    assert house.ledger.history("main", limit=1)[0].author.role is Role.OUTSIDE


def test_after_an_hour_a_save_is_taken_at_its_word(house: House) -> None:
    house.put(ROOM, LIST.decode())
    house.do(Add(ROOM, "four"))
    house.clock.advance(timedelta(minutes=61))
    house.bench.save(ROOM, LIST.replace(b"- two", b"- two, by hand"))
    assert house.entries(ROOM) == ["one", "two, by hand", "three"]


def test_a_save_that_only_removes_is_a_removal(house: House) -> None:
    house.put(ROOM, LIST.decode())
    house.do(Add(ROOM, "four"))
    house.bench.save(ROOM, LIST.replace(b"- two <!--os 0000000002-->\n", b""))
    assert house.entries(ROOM) == ["one", "three"]


def test_where_a_save_and_a_change_of_ours_clash_the_persons_words_stand_and_ours_are_in_conflicts(
    house: House,
) -> None:
    house.put(ROOM, LIST.decode())
    house.do(Replace(ROOM, "0000000001", "one, by a keeper"), Add(ROOM, "four"))
    house.bench.save(ROOM, LIST.replace(b"- one", b"- one, by hand"))
    assert house.entries(ROOM) == ["one, by hand", "two", "three", "four"]
    conflicts = house.text(CONFLICTS)
    assert "rooms/r1.md" in conflicts
    assert "**Kept:** - one, by hand" in conflicts
    assert "**Not kept:** - one, by a keeper" in conflicts
    assert "<!--os 0000000001" not in conflicts
    assert len(house.document(CONFLICTS).entries) == 1


def test_conflicts_that_cannot_be_written_down_are_in_history_and_stop_nobody(house: House) -> None:
    house.bench.save(CONFLICTS, b"# Conflicts\n\n%s\n" % (b"x" * 1_048_550))
    house.ledger.read(CONFLICTS)
    house.put(ROOM, LIST.decode())
    house.do(Replace(ROOM, "0000000001", "one, by a keeper"), Add(ROOM, "four"))
    house.bench.save(ROOM, LIST.replace(b"- one", b"- one, by hand"))
    assert house.entries(ROOM)[0] == "one, by hand"
    assert any("one, by a keeper" in c.notes.get("not_kept_1", "") for c in house.ledger.history("main"))
    house.do(Add(ROOM, "life goes on"))


def test_an_edit_of_conflicts_by_hand_is_kept_when_we_write_there(house: House) -> None:
    house.put(ROOM, LIST.decode())
    house.do(Replace(ROOM, "0000000001", "one, by a keeper"), Add(ROOM, "four"))
    house.bench.save(CONFLICTS, b"# Mine\n")
    house.bench.save(ROOM, LIST.replace(b"- one", b"- one, by hand"))
    house.ledger.read(ROOM)
    house.ledger.notice("main")
    assert "# Mine\n" in house.text(CONFLICTS)
    assert "one, by a keeper" in house.text(CONFLICTS)
    assert {c.author.role for c in house.ledger.history("main", name=CONFLICTS)} == {Role.SYSTEM, Role.OUTSIDE}


def test_a_change_takes_in_what_was_saved_just_before(house: House) -> None:
    version = house.put(ROOM, LIST.decode())
    house.clock.advance(timedelta(hours=2))
    house.bench.save(ROOM, LIST + b"- by hand\n")
    house.do(Replace(ROOM, "0000000002", "two, later"), versions={ROOM: version})
    assert house.entries(ROOM) == ["one", "two, later", "three", "by hand"]
    house.bench.save(ROOM, LIST.replace(b"- two", b"- two, by hand"))
    with pytest.raises(Conflict):
        house.do(Put(ROOM, LIST.replace(b"- two", b"- two, by api")), versions={ROOM: version})


def test_corrections_are_the_operators_alone(house: House) -> None:
    correction = Add(CORRECTIONS, "It is Mia, not Mia-Marie", title="2026-02-04 12:00")
    for author, evidence in ((AGENT, ()), (GUEST, BY_GUEST), (GUEST, BY_OPERATOR), (MINER, FROM_WEB)):
        with pytest.raises(Refused):
            house.do(correction, author=author, evidence=evidence)
    entry = house.add(CORRECTIONS, "It is Mia", MINER, BY_OPERATOR)
    assert house.do(Remove(CORRECTIONS, entry), author=AGENT).proposal is not None
    assert house.do(SetField(CORRECTIONS, "seen", "2026-02-05", entry), author=MINER).change is not None


def test_public_words_go_anywhere_policy_lets_them(house: House) -> None:
    public = (said(Origin.PARTICIPANT, PUBLIC),)
    for name in (ROOM, PERSON, MEMORY):
        assert house.add(name, "the sky is blue", MINER, public)
    assert house.do(Add(SOUL, "x"), author=MINER, evidence=public).warnings == ()
