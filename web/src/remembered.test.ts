import { expect, test } from "vitest";
import { entryWords, messageOf, toldLine, wordsOf } from "./remembered";

test("an entry of a log is what happened, without its time and its link", () => {
  const text =
    "2026-03-13 05:37 UTC\n\n**User:** Maren\n\nRye for Easter week.\n\n[Session](2026-03-13/a.md)";
  expect(wordsOf(text)).toBe("Rye for Easter week.");
});

test("a correction is what is true", () => {
  expect(wordsOf("**Correct:** The flour comes on Wednesdays.\n**Right value:** Wednesdays")).toBe(
    "The flour comes on Wednesdays.",
  );
});

test("a line of a prompt has its words and its day, or that of the heading above it", () => {
  const line = { words: "Maren: It comes on Wednesdays.", when: "2026-03-08" };
  expect(toldLine("- 2026-03-08, Maren: It comes on Wednesdays. #knowledge")).toEqual(line);
  expect(toldLine("- Maren: It comes on Wednesdays.", "### 2026-03-08, Sunday")).toEqual(line);
  expect(toldLine("- 2026-03-11: What is in it. (2026-03-11/m.md) [progress: tasks 0/0]").words).toBe(
    "What is in it.",
  );
});

test("who said an entry stands apart from the words", () => {
  const entry = { text: "Tomas: The oven is hot. (added 2026-03-02) #knowledge", title: "", source: "m:4" };
  expect(entryWords(entry)).toEqual({ who: "Tomas", words: "The oven is hot." });
  expect(messageOf("m:4")).toBe(4);
  expect(messageOf("k3f9w2m7qa")).toBe(0);
});
