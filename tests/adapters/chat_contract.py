"""What every chat log promises, as one suite: a log joins by giving a `bench` fixture in a subclass of `ChatContract`."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from adapters.chat_bench import ALL, HOSTILE, MAIN, Writer, at_once, found, message, pages, texts
from adapters.chat_writer import START, numbered
from oldsoul.errors import BadInput
from oldsoul.values.audience import PUBLIC, Audience
from oldsoul.values.messages import Flag, Message, Wanted
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from adapters.chat_bench import Bench
    from oldsoul.ports import ChatLog
    from oldsoul.values.messages import Logged


class ChatContract:
    """The promises. Subclass it, give it a `bench`."""

    # what is stored

    def test_a_log_that_is_empty_has_nothing(self, bench: Bench) -> None:
        assert bench.log.find(MAIN, ALL) == []
        assert bench.log.threads(MAIN) == []
        assert bench.log.append([]) == []
        bench.log.redact(MAIN, {1: "x"})
        bench.log.redact(MAIN, {})

    def test_a_message_comes_back_as_it_was_with_its_number(self, bench: Bench) -> None:
        session = Session.subagent(Session.team("crew", Session.group("lobby", subject=Subject("ext:irc:7"))))
        given = Message(
            workspace=MAIN,
            session=session,
            role="tool",
            sender=HOSTILE,
            subject=Subject("acct:42"),
            text=HOSTILE,
            time=datetime(2026, 2, 4, 23, 59, 59, 999_999, tzinfo=timezone(timedelta(hours=-9.5))),
            origin=Origin.UNTRUSTED,
            audience=Audience.room("lobby"),
            key=HOSTILE,
            channel=HOSTILE,
            flags=(Flag("memory", "mine", "high", HOSTILE), Flag("soft", "grow_soul", "medium", "")),
        )
        (logged,) = bench.log.append([given])
        assert logged.message == replace(given, id=logged.message.id)
        assert logged.message.id > 0
        assert not logged.repeated
        assert bench.log.find(MAIN, ALL) == [logged.message]
        assert bench.log.find(MAIN, ALL)[0].time.tzinfo is UTC
        assert bench.another().find(MAIN, ALL) == [logged.message]

    def test_a_message_may_be_empty_or_very_long(self, bench: Bench) -> None:
        long = "".join(f"w{number} " for number in range(150_000)) + "x" * 300_000 + " 中" * 1000
        bench.log.append([message("", "k1"), message(long, "k2"), message("y", "k" * 10_000)])
        assert texts(bench.log.find(MAIN, ALL)) == ["", long, "y"]
        assert found(bench.log, "w149999 w7 " + "x" * 300_000) == [long]
        assert found(bench.log, "x" * 299_999) == found(bench.log, "x" * 100) == []
        assert found(bench.log, long) == [long]
        (again,) = bench.log.append([message("z", "k" * 10_000)])
        assert (again.repeated, again.message.text) == (True, "y")

    def test_numbers_grow_in_the_order_of_coming(self, bench: Bench) -> None:
        logged = bench.log.append([message(f"t{n}", at=-n) for n in range(5)]) + bench.log.append([message("last")])
        numbers = [each.message.id for each in logged]
        assert numbers == sorted(set(numbers))

    def test_a_time_without_a_zone_is_refused_and_nothing_is_stored(self, bench: Bench) -> None:
        naive = message("two", time=datetime(2026, 2, 4))  # noqa: DTZ001 - what is refused
        with pytest.raises(BadInput):
            bench.log.append([message("one"), naive])
        assert bench.log.find(MAIN, ALL) == []
        assert bench.log.threads(MAIN) == []

    def test_it_tells_when_something_was_said_and_in_which_session(self, bench: Bench) -> None:
        made = bench.log.append([message("late", at=9), message("early", at=1), message("other", workspace="other")])
        first, second = sorted(each.message.time for each in made[:2])
        told = bench.another().said_at(MAIN, first, second + timedelta(microseconds=1))
        assert told == [(first, made[1].message.session.id), (second, made[0].message.session.id)]
        assert [time for time, _ in bench.log.said_at(MAIN, first, second)] == [first]
        assert bench.log.said_at("nobody", first, second) == []

    # keys

    def test_a_key_is_stored_once_in_a_workspace(self, bench: Bench) -> None:
        first, twice, other = bench.log.append(
            [message("one", "k"), message("two", "k", at=9), message("three", "k", workspace="other")]
        )
        assert (first.repeated, twice.repeated, other.repeated) == (False, True, False)
        assert first.message == twice.message
        again, new = bench.another().append([message("four", "k"), message("five", "k2")])
        assert (again.repeated, new.repeated) == (True, False)
        assert again.message == first.message
        assert texts(bench.log.find(MAIN, ALL)) == ["one", "five"]
        assert texts(bench.log.find("other", ALL)) == ["three"]
        assert [thread.count for thread in bench.log.threads(MAIN)] == [2]
        assert found(bench.log, "two") == found(bench.log, "four") == []

    def test_two_who_bring_the_same_keys_at_once_get_the_same_messages(self, bench: Bench) -> None:
        answers: list[list[Logged]] = [[], [], []]

        def bring(log: ChatLog, answer: list[Logged]) -> None:
            for number in range(40):
                answer += log.append([numbered("a", number), numbered("b", number)])

        logs = [bench.log, bench.another(), bench.another()]
        at_once(*(lambda log=log, answer=answer: bring(log, answer) for log, answer in zip(logs, answers, strict=True)))
        assert len(bench.log.find(MAIN, ALL)) == 80
        for same in zip(*answers, strict=True):
            assert len({each.message for each in same}) == 1
            assert sorted(each.repeated for each in same) == [False, True, True]

    def test_writers_to_several_workspaces_do_not_wait_for_each_other_for_ever(self, bench: Bench) -> None:
        def write(log: ChatLog, who: str, *workspaces: str) -> None:
            for number in range(20):
                log.append([message("x", f"{who}{number}", workspace=workspace) for workspace in workspaces])

        other = bench.another()
        at_once(lambda: write(bench.log, "a", "one", "two"), lambda: write(other, "b", "two", "one"))
        assert [len(bench.log.find(workspace, ALL)) for workspace in ("one", "two")] == [40, 40]

    # order, pages, filters

    @pytest.mark.parametrize("size", [1, 3, 7, 1000])
    @pytest.mark.parametrize("newest_first", [False, True])
    def test_pages_give_every_message_once_in_order(self, bench: Bench, size: int, newest_first: bool) -> None:  # noqa: FBT001 - a parameter of the test
        bench.log.append([message(f"t{n}", at=(n * 7) % 5) for n in range(23)])
        bench.log.append([message("elsewhere", workspace="other")])
        seen = pages(bench.log, Wanted(limit=size, newest_first=newest_first))
        places = [(each.time, each.id) for each in seen]
        assert places == sorted(places, reverse=newest_first)
        assert sorted(texts(seen)) == sorted(f"t{n}" for n in range(23))
        for wanted in (Wanted(session="s0"), Wanted(words="t3"), Wanted(since=START + timedelta(seconds=2))):
            whole = bench.log.find(MAIN, replace(wanted, limit=1000, newest_first=newest_first))
            assert pages(bench.log, replace(wanted, limit=size, newest_first=newest_first)) == whole

    def test_who_follows_the_log_by_its_numbers_misses_nothing_that_comes_in_late(self, bench: Bench) -> None:
        bench.log.append([message(f"t{n}", at=50 - n) for n in range(10)])
        wanted = Wanted(by_number=True, limit=4)
        seen = bench.log.find(MAIN, wanted)
        bench.log.append([message("of long ago", at=-500)])
        while page := bench.log.find(MAIN, replace(wanted, past=(seen[-1].time, seen[-1].id))):
            seen += page
        assert texts(seen) == [*(f"t{n}" for n in range(10)), "of long ago"]
        assert seen == bench.log.find(MAIN, replace(wanted, limit=100))
        newest = bench.log.find(MAIN, Wanted(by_number=True, newest_first=True, limit=2))
        assert texts(newest) == ["of long ago", "t9"]
        before = Wanted(by_number=True, newest_first=True, past=(newest[-1].time, newest[-1].id), limit=1)
        assert texts(bench.log.find(MAIN, before)) == ["t8"]

    def test_a_page_is_not_moved_by_what_comes_in_meanwhile(self, bench: Bench) -> None:
        bench.log.append([message(f"t{n}", at=n) for n in range(6)])
        first = bench.log.find(MAIN, Wanted(limit=3, newest_first=True))
        bench.log.append([message("later", at=9)])
        second = bench.log.find(MAIN, Wanted(newest_first=True, past=(first[-1].time, first[-1].id)))
        assert texts(first + second) == ["t5", "t4", "t3", "t2", "t1", "t0"]

    def test_a_range_of_time_holds_its_start_and_not_its_end(self, bench: Bench) -> None:
        bench.log.append([message(f"t{n}", at=n) for n in range(6)])
        since, until = (
            START + timedelta(seconds=2),
            (START + timedelta(seconds=4)).astimezone(timezone(timedelta(hours=5))),
        )
        assert texts(bench.log.find(MAIN, Wanted(since=since))) == ["t2", "t3", "t4", "t5"]
        assert texts(bench.log.find(MAIN, Wanted(until=until))) == ["t0", "t1", "t2", "t3"]
        assert texts(bench.log.find(MAIN, Wanted(since=since, until=until))) == ["t2", "t3"]
        assert bench.log.find(MAIN, Wanted(since=until, until=since)) == []

    def test_filters_restrict_alone_and_together(self, bench: Bench) -> None:
        lobby, al, bo = Session.group("lobby"), Subject("acct:al"), Subject("ext:irc:bo")
        flags = (Flag("memory", "mine", "high", "x"), Flag("custom", "grow_soul", "high", "y"))
        stored = bench.log.append(
            [
                message("in the lobby", session=lobby, subject=al),
                message("also in the lobby", session=lobby, subject=bo, flags=flags),
                message("alone", session=Session.dm(bo), subject=bo),
                message("nobody", session=Session.cron("nightly"), flags=flags[1:]),
            ]
        )
        expected = {
            Wanted(session=lobby.id): [0, 1],
            Wanted(room="lobby"): [0, 1],
            Wanted(subject="ext:irc:bo"): [1, 2],
            Wanted(room="lobby", subject="ext:irc:bo"): [1],
            Wanted(session="cron:nightly"): [3],
            Wanted(flagged="mine"): [1],
            Wanted(flagged="grow_soul"): [1, 3],
            Wanted(flagged="grow_soul", words="nobody"): [3],
            Wanted(flagged="grow"): [],
            Wanted(room="dm"): [],
            Wanted(after=stored[1].message.id): [2, 3],
            Wanted(after=stored[1].message.id, subject="ext:irc:bo", words="alone"): [2],
            Wanted(words="lobby", subject="acct:al", newest_first=True): [0],
            Wanted(limit=0): [],
            Wanted(limit=10**30, after=-(10**30)): [0, 1, 2, 3],
            Wanted(after=10**30): [],
            Wanted(past=(START, 10**30)): [],
            Wanted(session=HOSTILE): [],
            Wanted(subject=HOSTILE): [],
            Wanted(room=HOSTILE): [],
            Wanted(flagged=HOSTILE): [],
        }
        for wanted, places in expected.items():
            assert bench.log.find(MAIN, wanted) == [stored[place].message for place in places], wanted
        assert bench.log.find("other", ALL) == []

    # words

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("cat", ["The CAT sat."]),
            ("Cat the", ["The CAT sat."]),
            ("ca", []),
            ("cat dog", []),
            ("猫", ["我喜欢猫和狗", "AI助手养猫ok"]),
            ("喜欢猫", ["我喜欢猫和狗"]),
            ("狗猫", []),
            ("ai", ["AI助手养猫ok"]),
            ("助手 OK", ["AI助手养猫ok"]),
            ("ＡＩ", ["AI助手养猫ok"]),
            ("grosse", ["Große Müllerstraße №5"]),
            ("MÜLLERSTRASSE", ["Große Müllerstraße №5"]),
            ("muller", []),
            ("не", ["Не AND или: col:value -minus"]),
            ('"AND"', ["Не AND или: col:value -minus"]),
            ("AND", ["Не AND или: col:value -minus"]),
            ("cat AND sat", []),
            ("cat OR dog", []),
            ("NOT", []),
            ("NEAR(cat sat)", []),
            ("col:value", ["Не AND или: col:value -minus"]),
            ("-minus", ["Не AND или: col:value -minus"]),
            ("ca*", []),
            ("c%t", []),
            ("^cat", ["The CAT sat."]),
            ('cat"', ["The CAT sat."]),
            ("cat'); DROP TABLE messages; --", []),
            ("cat\x00sat", ["The CAT sat."]),
            ("\ud800cat", ["The CAT sat."]),
            ("snake case", ["snake_case 𝔣𝔞𝔫𝔠𝔶 ไทย"]),
            ("fancy ท", ["snake_case 𝔣𝔞𝔫𝔠𝔶 ไทย"]),
            ("§ ¶ ¤", []),
            ("!!! --- …", []),
            (" ", []),
            ("\x00", []),
            ("🐈", []),
        ],
    )
    def test_words_are_found_all_of_them_whatever_their_script(
        self, bench: Bench, query: str, expected: list[str]
    ) -> None:
        said = ["The CAT sat.", "我喜欢猫和狗", "AI助手养猫ok", "Große Müllerstraße №5", "Не AND или: col:value -minus"]
        bench.log.append([message(text) for text in (*said, "snake_case 𝔣𝔞𝔫𝔠𝔶 ไทย", "🐈")])
        bench.log.append([message(text, workspace="other") for text in said])
        assert found(bench.log, query) == expected

    def test_a_question_may_have_thousands_of_words(self, bench: Bench) -> None:
        many = " ".join(f"w{number}" for number in range(4000))
        bench.log.append([message(many, "k1"), message("w1 w2", "k2")])
        assert found(bench.log, many) == [many]

    # following, redacting, threads

    def test_who_follows_the_numbers_misses_nothing_while_others_write(self, bench: Bench) -> None:
        seen: list[Message] = []
        writing = threading.Semaphore(0)

        def write(log: ChatLog, who: str) -> None:
            try:
                for number in range(40):
                    log.append([numbered(who, number), numbered(f"{who}+", number)])
            finally:
                writing.release()

        def follow(log: ChatLog) -> None:
            done = 0
            while done < 4:
                done += writing.acquire(blocking=False)  # then once more, for what came before the last was done
                seen.extend(log.find(MAIN, replace(ALL, after=max((each.id for each in seen), default=0))))

        logs = [bench.another() for _ in range(4)]
        writers = (lambda log=log, who=f"w{n}-": write(log, who) for n, log in enumerate(logs))
        at_once(lambda: follow(bench.log), *writers)
        assert sorted(each.id for each in seen) == sorted(each.id for each in bench.log.find(MAIN, ALL))
        assert len(seen) == 320

    def test_what_is_redacted_is_neither_read_nor_found_and_the_rest_stays(self, bench: Bench) -> None:
        flags = (Flag("memory", "mine", "high", "Philomena"),)
        first, second, third = (
            logged.message
            for logged in bench.log.append(
                [message("my sister Philomena", flags=flags), message("our cat Philomena"), message("nothing")]
            )
        )
        (other,) = bench.log.append([message("their Philomena", workspace="other")])
        before = bench.log.threads(MAIN)
        bench.log.redact(MAIN, {first.id: "my sister [erased] \x00", other.message.id: "x", 10**30: "y"})
        assert bench.another().find(MAIN, ALL) == [
            replace(first, text="my sister [erased] \x00", flags=()),
            second,
            third,
        ]
        assert found(bench.log, "Philomena") == ["our cat Philomena"]
        assert found(bench.log, "sister erased") == ["my sister [erased] \x00"]
        assert bench.log.find(MAIN, Wanted(flagged="mine")) == []
        assert bench.log.find("other", ALL) == [other.message]
        assert bench.log.threads(MAIN) == before
        bench.log.redact(MAIN, {first.id: "again", second.id: ""})
        assert found(bench.log, "erased") == found(bench.log, "Philomena") == []
        assert texts(bench.log.find(MAIN, ALL)) == ["again", "", "nothing"]
        (repeated,) = bench.log.append([message("my sister Philomena")])
        assert (repeated.repeated, repeated.message.text) == (True, "again")

    def test_threads_are_the_sessions_with_the_latest_first(self, bench: Bench) -> None:
        early, late = Session.dm(id="d"), Session.dm(id="d", rooms=frozenset({"lobby", "attic"}))
        bench.log.append([message("a", session=early, at=5, channel="cli"), message("b", at=1, workspace="other")])
        bench.log.append([message("c", session=Session.group("lobby"), at=7, audience=PUBLIC, channel="irc")])
        (last,) = bench.log.append([message("d", session=late, at=5, channel="mail")])
        told, about = bench.log.threads(MAIN)
        assert (told.session, told.count, told.channel) == (Session.group("lobby"), 1, "irc")
        assert (about.session, about.count, about.channel) == (late, 2, "mail")
        assert (about.first, about.last) == (START + timedelta(seconds=5), START + timedelta(seconds=5))
        assert about.last_id == last.message.id
        (old,) = bench.log.append([message("imported", session=early, at=-100, channel="file")])
        told, about = bench.another().threads(MAIN)
        assert (about.session, about.count, about.channel) == (late, 3, "mail")
        assert (about.first, about.last) == (START - timedelta(seconds=100), START + timedelta(seconds=5))
        assert about.last_id == old.message.id
        bench.log.append([message("newest", session=early, at=8)])
        assert [thread.session for thread in bench.log.threads(MAIN)] == [early, told.session]
        assert [each.session for each in bench.log.find(MAIN, Wanted(session="d"))] == [early, early, late, early]
        assert bench.log.threads("nobody") == []

    def test_a_thread_is_found_by_its_session(self, bench: Bench) -> None:
        bench.log.append([message("a", session=Session.dm(id="d")), message("b", session=Session.group("lobby"), at=7)])
        bench.log.append([message("c", session=Session.dm(id="d"), at=9), message("d", workspace="other")])
        every = bench.log.threads(MAIN)
        assert [bench.another().thread(MAIN, one.session.id) for one in every] == every
        assert bench.log.thread(MAIN, "nobody") is None
        assert bench.log.thread("nobody", "d") is None

    def test_the_latest_number_and_the_people_are_known(self, bench: Bench) -> None:
        assert (bench.log.last(MAIN), bench.log.people(MAIN)) == (0, [])
        people = [Subject("ext:irc:bo"), None, Subject("acct:al"), Subject("ext:irc:bo")]
        said = bench.log.append([message(f"t{n}", subject=person, at=-n) for n, person in enumerate(people)])
        bench.log.append([message("elsewhere", workspace="other", subject=Subject("acct:zoe"))])
        assert bench.log.last(MAIN) == said[-1].message.id
        assert bench.another().people(MAIN) == ["acct:al", "ext:irc:bo"]
        bench.log.append([message("t0")])
        assert bench.log.last(MAIN) == said[-1].message.id, "nothing was stored"

    def test_threads_of_one_call_are_counted_like_those_of_many(self, bench: Bench) -> None:
        said = [
            message(f"t{n}", session=Session.dm(id=f"s{n % 3}"), at=(n * 5) % 7, channel=f"c{n}") for n in range(20)
        ]
        bench.log.append(said)
        for each in said:
            bench.log.append([replace(each, workspace="other")])
        whole, single = bench.log.threads(MAIN), bench.log.threads("other")
        assert [replace(thread, last_id=0) for thread in whole] == [replace(thread, last_id=0) for thread in single]


class DurableContract(ChatContract):
    """The promises of logs that outlive a process, and are shared by several."""

    def test_everything_is_there_for_the_next_who_opens_it(self, bench: Bench) -> None:
        logged = bench.log.append([numbered("a", number) for number in range(10)])
        threads = bench.log.threads(MAIN)
        bench.log.close()
        log = bench.another()
        assert log.find(MAIN, ALL) == [each.message for each in logged]
        assert log.threads(MAIN) == threads
        (again,) = log.append([numbered("a", 3)])
        assert again.message == logged[3].message

    def test_processes_that_bring_the_same_keys_at_once_get_the_same_numbers(self, bench: Bench) -> None:
        """They open it at once too, so that both find tables missing."""
        writers = [Writer(bench, "same", 30), Writer(bench, "same", 30)]
        for writer in writers:
            writer.go()
        one, other = (writer.rest() for writer in writers)
        assert [writer.process.returncode for writer in writers] == [0, 0]
        assert [told[:2] for told in one] == [told[:2] for told in other]
        assert all(mine[2] != yours[2] for mine, yours in zip(one, other, strict=True))
        stored = bench.log.find(MAIN, ALL)
        assert [(each.key, each.id) for each in stored] == [told[:2] for told in one]
        assert sum(thread.count for thread in bench.log.threads(MAIN)) == 30
