"""Values: audiences, views, origins, ids and the names of documents."""

from __future__ import annotations

import unicodedata
from datetime import date
from itertools import combinations, product
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oldsoul.errors import BadInput, BadName, NotFound
from oldsoul.rules.audience import audience_of, entry_audience, said_in, view_of
from oldsoul.values import names
from oldsoul.values.audience import OWNER, PUBLIC, Audience, Reach, View, merged
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Move, Role
from oldsoul.values.ids import MAX_SEGMENT_BYTES, checked_id, id_of, is_segment, segment, token, token_of
from oldsoul.values.names import Kind, Name, checked_workspace, kind_of
from oldsoul.values.origin import Origin, weakest
from oldsoul.values.sessions import Session, SessionKind, Subject
from oldsoul.workspace import checked

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATORS = ("acct:owner", "acct:2")
DAY = date(2026, 2, 4)


def is_id(text: str) -> bool:
    try:
        checked_id(text, "test")
    except BadName:
        return False
    return True


NASTY = "aAbBéÉßẞıİſKΩΣςσ한각가ｶカガ中文～~_:-.·/\\ \u0301\u200d\u202e\ufb01ǅ①²\u0345\u1e9e\u2126\U0001f600"
IDS = (
    st.one_of(
        st.text(alphabet=NASTY, min_size=1, max_size=8),
        st.text(min_size=1, max_size=12),
        st.text(alphabet="aA中:_~é", min_size=100, max_size=300),
        st.sampled_from(
            ["con", "CON", "nul", "com1", "lpt9", "a:b", "a_b", "a~3ab", "acct:42", "ext:telegram:7", "..", "."]
        ),
    )
    .map(lambda text: unicodedata.normalize("NFC", text))
    .filter(is_id)
)
AUDIENCES = st.one_of(
    st.sampled_from([PUBLIC, OWNER]),
    st.sampled_from(["r1", "r2", "acct:1", "x" * 300]).map(Audience.room),
    st.sampled_from(["r1", "acct:1", "ext:telegram:7", "y" * 300]).map(Audience.person),
    IDS.map(Audience.room),
    IDS.map(Audience.person),
)


# audiences


@given(AUDIENCES, AUDIENCES, AUDIENCES)
def test_audiences_merge_in_any_order_to_the_same(a: Audience, b: Audience, c: Audience) -> None:
    assert a.merge(b) == b.merge(a)
    assert a.merge(b).merge(c) == a.merge(b.merge(c))
    assert a.merge(a) == a
    assert a.merge(PUBLIC) == a
    assert a.merge(OWNER) == OWNER
    assert merged([a, b, c]) == a.merge(b).merge(c)
    assert merged([]) == PUBLIC


@given(AUDIENCES, AUDIENCES, AUDIENCES)
def test_fitting_is_a_partial_order_from_public_to_owner(a: Audience, b: Audience, c: Audience) -> None:
    assert a.fits(a)
    assert PUBLIC.fits(a)
    assert a.fits(OWNER)
    if a.fits(b) and b.fits(a):
        assert a == b
    if a.fits(b) and b.fits(c):
        assert a.fits(c)
    if a.fits(b):
        assert a in (PUBLIC, b) or b == OWNER


@given(AUDIENCES, AUDIENCES, st.sampled_from([True, False]), st.sampled_from([True, False]))
def test_nobody_sees_more_of_a_merged_text_than_of_both_its_parts(
    a: Audience,
    b: Audience,
    owner: bool,  # noqa: FBT001 - hypothesis gives it
    every_room: bool,  # noqa: FBT001 - as above
) -> None:
    view = View(owner=owner, every_room=every_room, rooms=frozenset({"r1"}), people=frozenset({"acct:1"}))
    if view.sees(a.merge(b)) and not owner:
        assert view.sees(a)
        assert view.sees(b)


@given(AUDIENCES)
def test_an_audience_is_read_back_as_it_was_written(audience: Audience) -> None:
    assert Audience.parse(str(audience)) == audience


@pytest.mark.parametrize(
    "text",
    [
        "",
        "everyone",
        "Public",
        "public:",
        "owner:x",
        "room",
        "room:",
        "person:",
        "room: x",
        "room:~~x",
        "room:~~a~~" + "0" * 32,
    ],
)
def test_what_is_no_audience_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        Audience.parse(text)


def test_an_audience_of_a_room_or_a_person_needs_an_id_and_the_others_take_none() -> None:
    for reach, who in ((Reach.ROOM, ""), (Reach.PERSON, ""), (Reach.PUBLIC, "x"), (Reach.OWNER, "x")):
        with pytest.raises(BadInput):
            Audience(reach, who)


@given(IDS)
def test_the_audience_of_a_room_file_is_that_of_the_room_however_long_its_id(room: str) -> None:
    assert audience_of(names.room("main", room)) == Audience.room(room)
    assert audience_of(names.longterm("main", room)) == Audience.person(room)
    assert view_of(Session.group(room), OPERATORS, {}).sees(audience_of(names.room("main", room)))


# who sees what

OWNER_DM = Session.dm()
OTHER_DM = Session.dm("acct:7", rooms=frozenset({"r1"}))
GROUP = Session.group("r1")
ALL = {
    "public": PUBLIC,
    "owner": OWNER,
    "r1": Audience.room("r1"),
    "r2": Audience.room("r2"),
    "me": Audience.person("acct:owner"),
    "7": Audience.person("acct:7"),
    "8": Audience.person("acct:8"),
}
SEES = {
    "the operator's DM": (OWNER_DM, "public owner r1 r2 me"),
    "another operator's DM": (Session.dm("acct:2"), "public owner r1 r2"),
    "another person's DM": (OTHER_DM, "public r1 7"),
    "another person's DM, no rooms": (Session.dm("acct:7"), "public 7"),
    "an unbound person's DM": (Session.dm("ext:telegram:7"), "public"),
    "group": (GROUP, "public r1"),
    "group in which the operator speaks": (Session.group("r1", subject=Subject("acct:owner")), "public r1"),
    "group without a room": (Session.group(""), "public"),
    "team in the operator's DM": (Session.team("t", OWNER_DM), "public owner r1 r2 me"),
    "team in another's DM": (Session.team("t", OTHER_DM), "public r1 7"),
    "team in a group": (Session.team("t", GROUP), "public r1"),
    "team alone": (Session.team("t"), "public"),
    "sub-agent of the operator's DM": (Session.subagent(OWNER_DM), "public owner r1 r2 me"),
    "sub-agent of another's DM": (Session.subagent(OTHER_DM), "public r1 7"),
    "sub-agent of a group": (Session.subagent(GROUP), "public r1"),
    "sub-agent of a team in a group": (Session.subagent(Session.team("t", GROUP)), "public r1"),
    "sub-agent of a team alone": (Session.subagent(Session.team("t")), "public"),
    "sub-agent of a sub-agent": (Session.subagent(Session.subagent(OTHER_DM)), "public r1 7"),
    "cron that names nothing": (Session.cron("job"), "public"),
    "cron that names the owner": (Session.cron("job", sees=(OWNER,)), "public owner"),
    "cron that names a room and a person": (Session.cron("job", sees=(ALL["r2"], ALL["8"])), "public r2 8"),
    "sub-agent of cron": (Session.subagent(Session.cron("job")), "public"),
    "unknown kind": (Session.of_kind("channel", "x", subject=Subject("acct:owner"), room="r1"), "public"),
    "private without a person": (Session.of_kind("dm", "x"), "public"),
    "team from outside": (Session.of_kind("team", "x", subject=Subject("acct:owner")), "public"),
    "sub-agent from outside": (Session.of_kind("subagent", "x", subject=Subject("acct:owner")), "public"),
    "sub-agent without a parent": (Session("x", SessionKind.SUBAGENT, subject=Subject("acct:owner")), "public"),
    "private from outside": (Session.of_kind("dm", "x", subject=Subject("acct:7")), "public 7"),
    "group from outside": (Session.of_kind("group", "x", room="r1"), "public r1"),
    "cron from outside": (Session.of_kind("cron", "x", subject=Subject("acct:owner")), "public"),
}


@pytest.mark.parametrize("case", SEES)
def test_each_kind_of_session_sees_what_the_table_grants_and_nothing_else(case: str) -> None:
    session, expected = SEES[case]
    view = view_of(session, OPERATORS, {})
    assert {name for name, audience in ALL.items() if view.sees(audience)} == set(expected.split())


def test_who_is_an_operator_comes_from_settings_alone() -> None:
    assert not view_of(Session.dm("acct:owner"), ("acct:9",), {}).owner
    assert view_of(Session.dm("acct:9"), ("acct:9",), {}).owner
    assert said_in(Session.dm("acct:owner"), ()) == Audience.person("acct:owner")


SAID = {
    "the operator's DM": (OWNER_DM, "owner"),
    "another's DM": (OTHER_DM, "person:acct:7"),
    "group": (GROUP, "room:r1"),
    "operator in a group": (Session.group("r1", subject=Subject("acct:owner")), "room:r1"),
    "group without a room": (Session.group(""), "owner"),
    "unknown kind": (Session.of_kind("channel", "x", room="r1"), "owner"),
    "cron": (Session.cron("job", sees=(PUBLIC,)), "owner"),
    "team in a group": (Session.team("t", GROUP), "room:r1"),
    "team alone": (Session.team("t"), "owner"),
    "sub-agent of a group": (Session.subagent(GROUP), "room:r1"),
    "sub-agent of another's DM": (Session.subagent(OTHER_DM), "person:acct:7"),
    "sub-agent of cron": (Session.subagent(Session.cron("job")), "owner"),
}


@pytest.mark.parametrize("case", SAID)
def test_words_are_marked_by_the_conversation_they_are_said_in(case: str) -> None:
    session, expected = SAID[case]
    assert str(said_in(session, OPERATORS)) == expected


AUDIENCE_OF = {
    "SOUL.md": "public",
    "AGENTS.md": "public",
    "TOOLS.md": "public",
    "IDENTITY.md": "public",
    "HEARTBEAT.md": "public",
    "BOOTSTRAP.md": "public",
    "BOOT.md": "public",
    "skills/weather/SKILL.md": "public",
    "USER.md": "owner",
    "MEMORY.md": "owner",
    "memory.md": "owner",
    "CONFIG.md": "owner",
    "CORRECTIONS.md": "owner",
    "CONFLICTS.md": "owner",
    "CHANGELOG.md": "owner",
    "COMPACTION_LOG.md": "owner",
    "memory/2026-02-04.md": "owner",
    "memory/2026-02-04.2.md": "owner",
    "memory/2026-02-04/dm_acct_7.md": "owner",
    "memory/_longterms/acct_7/_index.md": "person:acct:7",
    "memory/_longterms/acct_7/profile.md": "person:acct:7",
    "rooms/r1.md": "room:r1",
    "agents/memory-miner/SOUL.md": "owner",
    "SOUL_HISTORY/2026-02-04.md": "owner",
    "Archive/Chronicles/2026-01.md": "owner",
    "Archive/Corrections/2026-01.md": "owner",
    "Archive/Daily/2026-01-01.md": "owner",
    "Archive/Memory/2026-01.md": "owner",
    "Archive/Memory/acct_7/2026-01.md": "person:acct:7",
    "notes/mine.md": "owner",
    "soul.md": "owner",
    "Rooms/r1.md": "owner",
    "memory/_longterms/ACCT_7/_index.md": "owner",
}


def test_the_table_of_audiences_has_every_kind() -> None:
    assert {Name("main", path).kind for path in AUDIENCE_OF} == set(Kind) - {Kind.SHARED}


@pytest.mark.parametrize("path", AUDIENCE_OF)
def test_a_document_has_the_audience_its_kind_gives(path: str) -> None:
    assert str(audience_of(Name("main", path))) == AUDIENCE_OF[path]


def test_what_is_shared_is_public_and_nothing_below_it_is() -> None:
    assert audience_of(Name("_shared", "RULES.md")) == PUBLIC
    assert audience_of(Name("_shared", "MEMORY.md")) == PUBLIC
    assert audience_of(Name("_shared", "deep/RULES.md")) == OWNER


@pytest.mark.parametrize("path", AUDIENCE_OF)
@pytest.mark.parametrize(
    "mark", ["", "public", "owner", "room:r1", "room:r2", "person:acct:7", "person:acct:8", "garbage", "room:"]
)
def test_a_mark_widens_in_daily_and_session_files_alone_and_a_broken_one_hides(path: str, mark: str) -> None:
    name = Name("main", path)
    default, marked = audience_of(name), entry_audience(name, mark)
    if not mark:
        assert marked == default
    elif mark in ("garbage", "room:"):
        assert marked == OWNER
    elif name.kind in (Kind.DAILY, Kind.SESSION):
        assert str(marked) == mark
    elif mark.startswith("person:") and path.startswith("Archive/Daily/"):
        assert str(marked) == mark  # what a person said alone stays theirs when it is put away, and is not the owner's
    else:
        assert default.fits(marked)
        assert Audience.parse(mark).fits(marked)


# origins


def test_origins_are_in_order_and_the_weaker_wins() -> None:
    order = [Origin.OPERATOR, Origin.PARTICIPANT, Origin.AGENT, Origin.SYSTEM, Origin.UNTRUSTED]
    assert sorted(Origin, key=lambda origin: origin.rank) == order
    for one, other in product(order, order):
        assert one.weaker(other) == other.weaker(one) == order[max(order.index(one), order.index(other))]
    assert weakest([]) is None
    for some in combinations(order, 3):
        assert weakest(some) == some[-1]


def test_a_change_has_the_weakest_origin_of_its_evidence_and_nobody_but_the_operator_borrows_trust() -> None:
    def origin(role: Role, *origins: Origin) -> Origin:
        evidence = tuple(Evidence(f"m:{n}", o, PUBLIC) for n, o in enumerate(origins))
        return ChangeSet((Add(Name("main", "MEMORY.md"), "x"),), Author(role), "", "k", evidence).origin

    assert origin(Role.OPERATOR) is Origin.OPERATOR
    assert origin(Role.OPERATOR, Origin.UNTRUSTED) is Origin.UNTRUSTED
    assert origin(Role.KEEPER) is Origin.AGENT
    assert origin(Role.KEEPER, Origin.OPERATOR) is Origin.OPERATOR
    assert origin(Role.KEEPER, Origin.OPERATOR, Origin.PARTICIPANT) is Origin.PARTICIPANT
    assert origin(Role.PARTICIPANT) is Origin.PARTICIPANT
    assert origin(Role.PARTICIPANT, Origin.OPERATOR) is Origin.PARTICIPANT
    assert origin(Role.SYSTEM) is Origin.SYSTEM
    assert origin(Role.OUTSIDE, Origin.OPERATOR) is Origin.UNTRUSTED


def test_a_change_without_evidence_is_for_the_owner_unless_somebody_can_say_whose_words_it_has() -> None:
    def audience(author: Author, *audiences: Audience) -> Audience:
        evidence = tuple(Evidence("m:1", Origin.OPERATOR, a) for a in audiences)
        return ChangeSet((Add(Name("main", "MEMORY.md"), "x"),), author, "", "k", evidence).audience

    assert audience(Author(Role.AGENT, "main")) == OWNER
    assert audience(Author(Role.KEEPER, "memory-miner")) == OWNER
    assert audience(Author(Role.PARTICIPANT)) == OWNER
    assert audience(Author(Role.PARTICIPANT, "acct:7")) == Audience.person("acct:7")
    assert audience(Author(Role.SYSTEM)) == PUBLIC
    assert audience(Author(Role.AGENT), PUBLIC, Audience.room("r1")) == Audience.room("r1")


def test_a_change_names_one_workspace_moves_included() -> None:
    mine, other = Name("main", "MEMORY.md"), Name("other", "MEMORY.md")
    for operations in ((Add(mine, "x"), Add(other, "x")), (Move(mine, "0123456789", to=other),)):
        with pytest.raises(BadInput):
            ChangeSet(operations, Author(Role.OPERATOR), "", "k")
    with pytest.raises(BadInput):
        ChangeSet((Add(mine, "x"),), Author(Role.OPERATOR), "", "")
    with pytest.raises(BadInput):
        ChangeSet((Add(mine, "x"),) * 2001, Author(Role.OPERATOR), "", "k")


@given(st.sampled_from(Role), st.text(max_size=10))
def test_an_author_is_read_back_as_it_was_written(role: Role, who: str) -> None:
    assert Author.parse(str(Author(role, who))) == Author(role, who)


# ids


def file_names(name: str) -> set[str]:
    """What a file system may take a name for: names that share one of these are the same file somewhere."""
    forms = {name}
    for _ in range(2):
        forms |= {f(n) for n in forms for f in (str.casefold, str.lower, str.upper)}
        forms |= {unicodedata.normalize(form, n) for n in forms for form in ("NFC", "NFD", "NFKC", "NFKD")}
    return forms


@given(IDS, IDS)
def test_two_ids_that_differ_never_share_a_file_on_any_file_system(one: str, other: str) -> None:
    assume(one != other)
    assert not file_names(segment(one)) & file_names(segment(other))


@given(IDS)
def test_ids_that_look_alike_never_share_a_file(text: str) -> None:
    alike = {text, text.upper(), text.lower(), text.casefold(), text.swapcase(), text.title(), segment(text)}
    alike |= {text.replace(a, b) for a, b in (("_", ":"), (":", "_"), ("~", "_"), ("-", "_"), ("a", "~61"))}
    alike |= {unicodedata.normalize("NFKC", text), unicodedata.normalize("NFKC", text.casefold())}
    different = {unicodedata.normalize("NFC", t) for t in alike if is_id(t)}
    for one, other in combinations(sorted(different), 2):
        assert not file_names(segment(one)) & file_names(segment(other)), (one, other)


@given(IDS)
def test_a_segment_is_a_plain_file_name_and_leads_back_to_its_id(text: str) -> None:
    name = segment(text)
    assert is_segment(name)
    assert len(name.encode()) <= MAX_SEGMENT_BYTES
    assert not set(name) & set('/\\:*?"<>|. ')
    assert name[0] not in ".~" or name[0] == "~"
    assert name.casefold() not in {"con", "prn", "aux", "nul", "com1", "lpt1"}
    assert name == unicodedata.normalize("NFC", name)
    assert id_of(name) == (None if "~~" in name else text)
    assert token_of(name) == token(text)
    assert segment(unicodedata.normalize("NFD", text)) == name


STANDING_FOR_OTHERS = [c for c in map(chr, range(0x110000)) if unicodedata.normalize("NFC", c) != c]
"""Characters that normalisation makes others of: the Kelvin sign, the Ohm sign, doubled ideographs …"""


@given(st.sampled_from(STANDING_FOR_OTHERS), st.text(alphabet="ab1:é", max_size=4))
def test_an_id_with_a_character_that_stands_for_another_is_refused_wherever_it_comes_in(odd: str, rest: str) -> None:
    text = f"a{rest}{odd}"
    makers: list[Callable[[str], object]] = [
        *(Session.group, Audience.room, Audience.person, segment, token, checked_workspace),
        *(lambda t: Subject(f"acct:{t}"), lambda t: Subject(f"ext:{t}:7"), lambda t: Session.dm(f"acct:{t}")),
        *(
            lambda t: Session.dm(id=t),
            lambda t: Session.dm(rooms=frozenset({t})),
            lambda t: Audience.parse(f"room:{t}"),
        ),
        *(lambda t: Session.of_kind("cron", t), Session.cron, Session.team),
    ]
    for made in makers:
        with pytest.raises(BadName, match=rf"U\+{ord(odd):04X}.*is a variant of"):
            made(text)


@given(st.text(max_size=12).filter(lambda text: not set(text) & set(STANDING_FOR_OTHERS)))
def test_an_id_is_refused_for_no_accent_however_it_is_written(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    if is_id(composed):
        assert checked_id(text, "test") == checked_id(unicodedata.normalize("NFD", text), "test") == composed


def test_ids_become_the_segments_people_expect() -> None:
    assert segment("acct:42") == "acct_42"
    assert segment("ext:telegram:7") == "ext_telegram_7"
    assert segment("家庭-群") == "家庭-群"
    assert segment("Alice") == "~41lice"
    assert segment("a_b") == "a~5fb"
    assert segment("..") == "~2e~2e"
    assert segment("con") == "~63on"
    assert segment("x" * 121) == "x" * 86 + "~~" + segment("x" * 121)[-32:]


@given(st.text(max_size=40))
def test_a_name_that_no_id_has_is_no_segment(name: str) -> None:
    found = id_of(name)
    assert found is None or segment(found) == name
    if is_segment(name) and "~~" not in name:
        assert found is not None


@pytest.mark.parametrize("bad", ["", " a", "a ", "\n", "a\nb", "a\0b", "~~x", "\ud800", "a\u2028b", "x" * 1025, "\t"])
def test_what_cannot_be_an_id_is_refused(bad: str) -> None:
    for make in (segment, Audience.room, Audience.person, names.checked_workspace):
        with pytest.raises(BadName):
            make(bad)


# names

KINDS = {
    **names.ROOT_FILES,
    "memory/2024-02-29.md": Kind.DAILY,
    "memory/2026-02-04.12.md": Kind.DAILY,
    "memory/2026-02-04/dm_acct_7.md": Kind.SESSION,
    "memory/2026-02-04/dm_acct_7.2.md": Kind.SESSION,
    "memory/2026-02-04/家庭.md": Kind.SESSION,
    "memory/_longterms/acct_7/_index.md": Kind.LONGTERM,
    "memory/_longterms/acct_7/profile.md": Kind.PROFILE,
    "rooms/家庭.md": Kind.ROOM,
    "skills/weather/SKILL.md": Kind.SKILL,
    "skills/天气/SKILL.md": Kind.SKILL,
    "skills/group/My-Skill_1.0/SKILL.md": Kind.SKILL,
    "agents/memory-miner/SOUL.md": Kind.KEEPER,
    "SOUL_HISTORY/SOUL_2026-02-04T12-00-00Z.md": Kind.SOUL_HISTORY,
    "Archive/Memory/2026-02.md": Kind.ARCHIVE,
    "Archive/Memory/2026-02.2.md": Kind.ARCHIVE,
    "Archive/Daily/2026-02-04/dm_acct_7.md": Kind.ARCHIVE,
    "own.md": Kind.OTHER,
    "notes/中 文.md": Kind.OTHER,
    "memory/2026-02-30.md": Kind.OTHER,
    "memory/2026-2-3.md": Kind.OTHER,
    "memory/2026-02-04.1.md": Kind.OTHER,
    "memory/2026-02-04.02.md": Kind.OTHER,
    "memory/2026-02-04.1٢.md": Kind.OTHER,
    "memory/٢٠٢٦-٠٢-٠٤.md": Kind.OTHER,
    "memory/2026-02-30/x.md": Kind.OTHER,
    "memory/2026-02-04/Upper.md": Kind.OTHER,
    "memory/_longterms/acct_7/other.md": Kind.OTHER,
    "memory/_longterms/acct~3a7/_index.md": Kind.OTHER,
    "rooms/a~~" + "0" * 32 + ".md": Kind.OTHER,
    "rooms/Ä" + "x" * 80 + "~~" + "0" * 32 + ".md": Kind.OTHER,
    "Archive/Elsewhere/x.md": Kind.OTHER,
    "Archive/Daily/a/b/c.md": Kind.OTHER,
    "skills/SKILL.md": Kind.OTHER,
    "skills/weather/README.md": Kind.OTHER,
    "deep/SOUL.md": Kind.OTHER,
}


@pytest.mark.parametrize("path", KINDS)
def test_a_path_is_the_kind_of_document_the_layout_says(path: str) -> None:
    assert Name("main", path).kind is KINDS[path]


BAD = [
    *("", "/", ".", "..", "../SOUL.md", "/etc/passwd", "/SOUL.md", "a/../SOUL.md", "./SOUL.md", "a//b.md", "SOUL.md/"),
    *(
        "SOUL.md/..",
        "memory/../../x.md",
        "a\\b.md",
        "..\\SOUL.md",
        "C:\\x.md",
        "x\0.md",
        "SOUL.md\0",
        "x\n.md",
    ),
    *(
        ".hidden.md",
        ".git/config.md",
        "a/.b/c.md",
        ".md",
        "memory/.md",
        "x",
        "SOUL",
        "SOUL.txt",
        "x.MD",
        "SOUL.md ",
        " SOUL.md",
    ),
    *(
        "a /b.md",
        "a./b.md",
        "a../b.md",
        "...md/x.md",
    ),
    *(
        "file:///x.md",
        "x\x7f.md",
        "x\x85.md",
        "x\u2028.md",
    ),
    *(
        "\ud800.md",
        "x" * 253 + ".md",
        "skills/" + "x" * 300 + "/SKILL.md",
        "/".join(["d" * 100] * 6) + ".md",
        "\u3000x/y.md",
    ),
]


@pytest.mark.parametrize("path", BAD, ids=ascii)
def test_no_path_that_could_lead_astray_is_a_name(path: str) -> None:
    for workspace in ("main", "_shared"):
        with pytest.raises(BadName):
            Name(workspace, path)


ON_SOME = [
    *("C:/x.md", "con.md", "CON.md", "Nul.md", "aux/x.md", "com1.x.md", "lpt9/x.md", "COM¹.md", "conin$.md"),
    *("skills/con/SKILL.md", "skills/NUL.x/SKILL.md", "SOUL_HISTORY/aux.md", "Archive/Daily/prn.md", "rooms/nul.md"),
    *("a?.md", "a*.md", 'a".md', "a<b.md", "a>b.md", "a|b.md", "Meeting 10:30.md", "x" * 201 + ".md"),
]


@pytest.mark.parametrize("path", ON_SOME, ids=ascii)
def test_what_only_some_systems_can_name_is_a_file_that_is_never_ours(path: str) -> None:
    for workspace in ("main", "_shared"):
        name = Name(workspace, path)
        assert (name.kind, audience_of(name)) == (Kind.OTHER, OWNER)
        with pytest.raises(NotFound):
            checked(name)


PARTS = st.one_of(
    st.sampled_from(
        [
            "..",
            ".",
            "",
            "con",
            "SOUL.md",
            "memory",
            "_longterms",
            "rooms",
            "skills",
            "SKILL.md",
            "a.",
            "a ",
            "~",
            "x.md",
        ]
    ),
    st.text(max_size=6),
    st.text(alphabet="./\\:~ aA\0\u202e\ud800", max_size=6),
)


@given(st.lists(PARTS, max_size=5).map("/".join), st.sampled_from(["", ".md", "/SOUL.md", "/_index.md"]))
def test_a_name_that_can_be_made_leads_to_a_visible_markdown_file_in_its_workspace(path: str, ending: str) -> None:
    try:
        name = Name("main", path + ending)
    except BadName:
        return
    assert name.path.endswith(".md")
    name.path.encode()
    for part in name.path.split("/"):
        assert part not in ("", ".", "..")
        assert not part.startswith(".")
        assert not part.endswith((".", " "))
        assert not set(part) & set("\\\0")
        assert len(part.encode()) <= 255
        if name.kind is not Kind.OTHER:
            assert not set(part) & set(':*?"<>|')
            assert part.split(".")[0].casefold() not in {"con", "prn", "aux", "nul", "com1", "lpt1"}
            assert len(part.encode()) <= 200


@given(IDS, IDS)
def test_the_documents_of_people_rooms_and_sessions_have_names_whatever_they_are_called(
    workspace: str, who: str
) -> None:
    assume(workspace[0] not in ":." and "/" not in workspace and workspace != names.SHARED)
    made = {
        Kind.SESSION: names.session_file(workspace, DAY, who),
        Kind.LONGTERM: names.longterm(workspace, who),
        Kind.PROFILE: names.profile(workspace, who),
        Kind.ROOM: names.room(workspace, who),
        Kind.KEEPER: names.keeper_prompt(workspace, who),
    }
    for kind, name in made.items():
        assert name.kind is kind
    assert names.session_file(workspace, DAY, who, 3).kind is Kind.SESSION
    assert names.daily(workspace, DAY, 2).path == "memory/2026-02-04.2.md"


def test_a_workspace_has_one_form_and_cannot_be_taken_for_another() -> None:
    decomposed = unicodedata.normalize("NFD", "é")
    assert Name(decomposed, "SOUL.md") == Name("é", "SOUL.md")
    for bad in (":shared", ".hidden", "a/b", "", " x", "\0"):
        with pytest.raises(BadName):
            Name(bad, "SOUL.md")
    assert Name("_shared", "X.md").kind is Kind.SHARED


def test_logs_are_the_documents_made_of_dated_blocks() -> None:
    logs = {
        p for p in (*KINDS, "Archive/Corrections/2026-01.md", "Archive/Daily/2026-02-04.md") if Name("main", p).is_log
    }
    assert logs == {
        *("CORRECTIONS.md", "CONFLICTS.md", "CHANGELOG.md", "COMPACTION_LOG.md", "memory/2024-02-29.md"),
        *("memory/2026-02-04.12.md", "Archive/Daily/2026-02-04.md", "Archive/Corrections/2026-01.md"),
    }


# sessions


@pytest.mark.parametrize(
    "bad",
    ["", "42", "acct", "acct:", "ext:", "ext:telegram", "ext:telegram:", "ext::7", "user:1", " acct:1", "acct:1\n"],
)
def test_a_person_has_an_account_or_a_channel(bad: str) -> None:
    with pytest.raises(BadInput):
        Subject(bad)


def test_a_person_is_known_by_one_form_of_their_id() -> None:
    assert Subject("acct:é").id == unicodedata.normalize("NFC", Subject("acct:é").id)
    assert Subject(unicodedata.normalize("NFD", "acct:é")) == Subject("acct:é")
    assert Subject("acct:1").bound
    assert not Subject("ext:telegram:7").bound
    assert str(Subject("ext:telegram:7")) == "ext:telegram:7"


def test_sessions_are_named_after_what_they_are() -> None:
    assert Session.dm().subject == Subject("acct:owner")
    assert Session.dm().id == "dm:acct:owner"
    assert Session.dm(Subject("acct:7"), id="t1").id == "t1"
    assert Session.group("r1").id == "group:r1"
    assert Session.group("").id == "group"
    assert Session.team("crew", GROUP).parent == GROUP
    assert Session.subagent(GROUP).id == "sub:group:r1"
    assert Session.cron("nightly").id == "cron:nightly"
    assert Session.of_kind("channel", "x", room="r1").room == ""
    with pytest.raises(BadInput):
        Session.dm("somebody")
    with pytest.raises(BadName):
        Session.dm(id="a\nb")
    with pytest.raises(BadName):
        Session.dm("acct:7", rooms=frozenset({"a\0"}))


def test_the_kinds_of_many_documents_are_told_once_however_often_all_are_gone_through() -> None:
    names = [Name("main", f"notes/many-{number}.md") for number in range(20_000)]
    before = kind_of.cache_info().misses
    assert {name.kind for _ in range(2) for name in names} == {Kind.OTHER}
    assert kind_of.cache_info().misses == before
