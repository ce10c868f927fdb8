import { expect, test } from "vitest";
import { mergeBoth, movedLines, whatWasDone } from "./merge";

const BASE = "a\nb\nc\nd\ne\n";

test("changes of different lines are both kept", () => {
  expect(mergeBoth(BASE, "a\nB\nc\nd\ne\n", "a\nb\nc\nD\ne\n")).toBe("a\nB\nc\nD\ne\n");
});

test("a line that was added beside a change is kept", () => {
  expect(mergeBoth(BASE, "a\nB\nc\nd\ne\n", "a\nb\nnew\nc\nd\ne\n")).toBe("a\nB\nnew\nc\nd\ne\n");
  expect(mergeBoth(BASE, "a\nB\nc\nd\ne\n", "a\nnew\nb\nc\nd\ne\n")).toBe("a\nnew\nB\nc\nd\ne\n");
});

test("two lines that were added at one place are both kept", () => {
  expect(mergeBoth(BASE, `${BASE}mine\n`, `${BASE}theirs\n`)).toBe(`${BASE}theirs\nmine\n`);
});

test("what both did alike is done once", () => {
  expect(mergeBoth(BASE, "a\nb\nc\nd\nE\n", "a\nb\nc\nd\nE\n")).toBe("a\nb\nc\nd\nE\n");
});

test("changes of one line clash", () => {
  expect(mergeBoth(BASE, "a\nmine\nc\nd\ne\n", "a\ntheirs\nc\nd\ne\n")).toBeNull();
  expect(mergeBoth(BASE, "a\ne\n", "a\nb\nC\nd\ne\n")).toBeNull();
});

test("lines are found again where they stand now", () => {
  expect(movedLines(BASE, `new\n${BASE}`, [2, 5])).toEqual([3, 6]);
});

test("what was done is told in words", () => {
  expect(whatWasDone(BASE, "a\nb\nc\nd\nnew\ne\n")).toBe("added line 5");
  expect(whatWasDone(BASE, "a\nB\nC\nd\ne\n")).toBe("changed lines 2 to 3");
  expect(whatWasDone(BASE, "new\na\nb\nc\nd\ne\nnew\n")).toBe("added 2 lines");
  expect(whatWasDone(BASE, "a\nb\nc\n")).toBe("removed 2 lines");
});
