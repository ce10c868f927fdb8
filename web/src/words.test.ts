import { describe, expect, it } from "vitest";
import {
  agentName,
  audienceOf,
  author,
  bytes,
  counted,
  daysAgo,
  duration,
  isoDay,
  longDay,
  moment,
  nearDay,
  number,
  person,
  plainWords,
  saidBy,
  seenBy,
  spelled,
  times,
  wholeDay,
} from "./words";

const now = new Date(2026, 2, 14, 15, 0);

describe("dates", () => {
  it("are a weekday, a day and a month", () => {
    expect(longDay("2026-03-12", now)).toBe("Thursday 12 March");
    expect(longDay("2025-03-12", now)).toBe("Wednesday 12 March 2025");
    expect(wholeDay(now)).toBe("Saturday 14 March 2026");
  });
  it("are near ones in a word", () => {
    expect(nearDay("2026-03-14", now)).toBe("today");
    expect(nearDay("2026-03-13", now)).toBe("yesterday");
    expect(nearDay("2026-03-15", now)).toBe("tomorrow");
    expect(nearDay("2026-03-09", now)).toBe("Monday");
    expect(nearDay("2026-03-07", now)).toBe("7 March");
  });
  it("have their clock time after them", () => {
    expect(moment(new Date(2026, 2, 14, 6, 0), now)).toBe("today 06:00");
    expect(moment(new Date(2026, 2, 2, 5, 2), now)).toBe("2 March, 05:02");
    expect(moment("2026-03-13", now)).toBe("yesterday");
  });
  it("count days by the calendar, not by 24 hours", () => {
    expect(daysAgo(new Date(2026, 2, 13, 23, 59), new Date(2026, 2, 14, 0, 1))).toBe(1);
    expect(isoDay(new Date(2026, 0, 5))).toBe("2026-01-05");
  });
});

describe("numbers", () => {
  it("have separators and units", () => {
    expect(number(50000)).toBe("50,000");
    expect(bytes(13_722)).toBe("13.4 KiB");
    expect(bytes(16_384)).toBe("16 KiB");
    expect(duration(0.25)).toBe("250 ms");
    expect(duration(200)).toBe("3 min 20 s");
  });
  it("are words in sentences", () => {
    expect([spelled(0), spelled(9), spelled(23)]).toEqual(["no", "nine", "23"]);
    expect([times(1), times(2), times(3)]).toEqual(["once", "twice", "three times"]);
    expect([counted(1, "memory", "memories"), counted(3, "message")]).toEqual(["1 memory", "3 messages"]);
  });
});

describe("audiences and names", () => {
  it("are said in words", () => {
    expect(audienceOf("owner").words).toBe("Only you");
    expect(audienceOf("public").words).toBe("Everyone");
    expect(audienceOf("room:bakery-team")).toEqual({ reach: "room", words: "bakery-team" });
    expect(audienceOf("person:telegram:tomas")).toEqual({ reach: "person", words: "Tomas" });
    expect(seenBy("room:bakery-team")).toBe("the people in bakery-team");
  });
  it("shows an audience it does not know to nobody else", () => {
    expect(audienceOf("something new").reach).toBe("owner");
  });
  it("name people, authors and agents", () => {
    expect(person("acct:ann")).toBe("Ann");
    expect(person("slack:U042")).toBe("U042");
    expect(author("operator:acct:maren")).toBe("You");
    expect(author("keeper:memory-miner")).toBe("memory-miner");
    expect(agentName("juniper")).toBe("Juniper");
  });
  it("tell who said what came from a message", () => {
    expect(saidBy({ text: "Tomas: It is hot. (added 2026-11-18) #knowledge", source: "m:7" })).toEqual({
      who: "Tomas",
      words: "It is hot.",
    });
    expect(saidBy({ text: "Oven: it is hot.", source: "" }).who).toBe("");
    expect(saidBy({ text: "**Oven**: it is hot.", title: "Oven", source: "m:7" }).who).toBe("");
  });
  it("leave out what only the file needs", () => {
    expect(plainWords("**Flour**: on Thursdays (added 2026-11-18) #decision <!--os a1 n=2-->")).toBe(
      "Flour: on Thursdays",
    );
    expect(plainWords("Flour arrives on Thursdays. (added 2026-11-18) #decision")).toBe(
      "Flour arrives on Thursdays.",
    );
  });
});
