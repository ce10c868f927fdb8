import { describe, expect, it } from "vitest";
import { changedLines, diffOfTexts, diffOfUnified, textChanges, wordMarks } from "./diff";

describe("two texts", () => {
  it("keep the lines around a difference and fold the rest", () => {
    const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join("\n");
    const found = diffOfTexts(before, before.replace("line 10", "line ten"));
    expect(found.map((line) => line.kind)).toEqual([
      "skip",
      "same",
      "same",
      "same",
      "del",
      "add",
      "same",
      "same",
      "same",
      "skip",
    ]);
    expect(found[0]).toMatchObject({ count: 6 });
  });
  it("that are equal are one fold", () => {
    expect(diffOfTexts("a\nb\n", "a\nb\n")).toMatchObject([{ kind: "skip", count: 2 }]);
  });
  it("say which lines are new", () => {
    expect(changedLines("a\nb\nc", "a\nx\nc\nd")).toEqual([2, 4]);
  });
});

describe("words", () => {
  it("are marked where they differ", () => {
    const [before, after] = wordMarks("- Flour arrives Tuesday", "- Flour arrives Thursday");
    expect(before.filter((each) => each.differs).map((each) => each.text)).toEqual(["Tuesday"]);
    expect(after.filter((each) => each.differs).map((each) => each.text)).toEqual(["Thursday"]);
  });
  it("are not marked where all of them differ", () => {
    expect(wordMarks("one two three", "four five six")[0]).toEqual([
      { text: "one two three", differs: false },
    ]);
  });
});

describe("a unified diff", () => {
  const text = [
    "--- a/MEMORY.md",
    "+++ b/MEMORY.md",
    "@@ -11,2 +11,2 @@",
    "-- Flour arrives Tuesday",
    "+- Flour arrives Thursday",
    " - Rye: 40 kg",
    "--- a/SOUL.md",
    "+++ b/SOUL.md",
    "@@ -1 +1 @@",
    "--- old",
    "+-- new",
  ].join("\n");
  it("is read file by file, with the numbers of its lines", () => {
    const files = diffOfUnified(text);
    expect(files.map((file) => file.path)).toEqual(["MEMORY.md", "SOUL.md"]);
    expect(files[0]?.lines[0]).toEqual({ kind: "skip", count: 10, lines: [] });
    expect(files[0]?.lines[1]).toMatchObject({ kind: "del", before: 11 });
    expect(files[0]?.lines[2]).toMatchObject({ kind: "add", after: 11 });
  });
  it("keeps lines that begin like a header", () => {
    expect(diffOfUnified(text)[1]?.lines).toMatchObject([
      { kind: "del", text: "-- old" },
      { kind: "add", text: "-- new" },
    ]);
  });
});

describe("what to replace in a text", () => {
  const apply = (before: string, after: string) => {
    let made = before;
    for (const { from, to, insert } of textChanges(before, after).toReversed())
      made = made.slice(0, from) + insert + made.slice(to);
    return made;
  };

  it("makes the other text, wherever lines come, go or change", () => {
    const some = [
      "",
      "a",
      "a\n",
      "a\nb",
      "a\nb\n",
      "b\na",
      "\na\nb",
      "a\nx\nb\n",
      "x",
      "a\n\n\nb",
      "\n",
      "ab\nb",
    ];
    for (const before of some) for (const after of some) expect(apply(before, after)).toBe(after);
  });

  it("leaves what lies between two changes alone", () => {
    expect(textChanges("one\ntwo\nthree\n", "One\ntwo\nthree!\n")).toEqual([
      { from: 0, to: 1, insert: "O" },
      { from: 13, to: 13, insert: "!" },
    ]);
  });
});
