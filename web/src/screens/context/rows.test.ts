import { expect, test } from "vitest";
import { hiddenFrom, type Line, slotRows, whyAbsent } from "./rows";
import type { Prompt } from "./views";

function line(entry: string, audience = "owner", slot = "recall"): Line {
  return {
    slot,
    document: "MEMORY.md",
    start_line: 1,
    end_line: 1,
    entry,
    score: 0,
    tokens: 1,
    text: entry,
    audience,
    under: "",
  };
}

function prompt(...included: Line[]): Prompt {
  const slots = [{ slot: 5, name: "recall", budget: 9, allowed: 9, tokens: 1, text: "", cost: 0 }];
  const context = {
    slots,
    receipt: { included, left_out: [] },
    text: "",
    tokens: 1,
    budget: 9,
    cost: 0,
    answer: "",
  };
  return { context } as unknown as Prompt;
}

test("rows stay level, and each side keeps its order", () => {
  const rows = slotRows(prompt(line("a"), line("b"), line("c")), prompt(line("x"), line("b"), line("y")))[0]
    ?.rows;
  expect(rows?.map((row) => [row.a?.entry ?? "", row.b?.entry ?? ""])).toEqual([
    ["a", ""],
    ["", "x"],
    ["b", "b"],
    ["c", ""],
    ["", "y"],
  ]);
});

test("lines in another order are still one row each", () => {
  const rows = slotRows(prompt(line("a"), line("b")), prompt(line("b"), line("a")))[0]?.rows;
  expect(rows?.length).toBe(2);
  expect(rows?.every((row) => row.a && row.b)).toBe(true);
});

test("what is private is said to be so, and counted", () => {
  const mine = { view: { where: "dm", who: "" }, prompt: prompt(line("secret"), line("open", "room:dev")) };
  const room = { view: { where: "room:dev", who: "acct:b" }, prompt: prompt(line("open", "room:dev")) };
  expect(hiddenFrom(mine, room, "acct:a").map((each) => each.entry)).toEqual(["secret"]);
  expect(whyAbsent(line("secret"), room, "acct:a")).toBe("Not here: only you may see it.");
  expect(whyAbsent(line("other", "room:dev"), room, "acct:a")).toContain("not chosen");
});
