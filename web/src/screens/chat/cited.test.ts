import { describe, expect, it } from "vitest";
import { cited, type Reply, readReceipt } from "./cited";

describe("what a reply says apart from where it says it from", () => {
  it("makes numbers of its sources and sentences of lines of memory", () => {
    const { text, sources } = cited(
      "I am not sure:\n- The cabinet is at 27. #knowledge (Maren, 2026-03-04) Source: rooms/team.md#L11\n- It is at 29. Source: rooms/team.md#L13-L14",
    );
    expect(text).toMatch(
      /^I am not sure:\n- The cabinet is at 27\. \(Maren, 4\sMarch[\s0-9]*\)\[1\]\(#cite-1\)\n- It is at 29\.\[2\]\(#cite-2\)$/,
    );
    expect(sources.map((each) => [each.path, each.start, each.end])).toEqual([
      ["rooms/team.md", 11, 11],
      ["rooms/team.md", 13, 14],
    ]);
    expect(sources[0]?.words).toBe("The cabinet is at 27.");
  });

  it("says a correction as what is right", () => {
    const { text } = cited(
      "**Correct:** Flour comes on Wednesdays. **Means:** Maren: Flour. **Right value:** Wednesdays Source: CORRECTIONS.md#L17-L20",
    );
    expect(text).toBe("Flour comes on Wednesdays.[1](#cite-1)");
  });

  it("leaves a reply without sources alone", () => {
    expect(cited("Half #past (two).")).toEqual({ text: "Half #past (two).", sources: [] });
  });
});

describe("a receipt", () => {
  const line = (
    slot: string,
    document: string,
    start_line: number,
    entry: string,
    text: string,
    under = "",
  ) => ({
    ...{ slot, document, start_line, end_line: start_line, entry, text, under },
    ...{ score: 0.5, tokens: 10, audience: "owner" },
  });
  const reply: Reply = {
    ...{ silent: false, answer: "found", message: 1, reply: 2, reply_to: "", tools: [], notes: [] },
    text: "40 kilos. Source: MEMORY.md#L12",
    receipt: {
      included: [
        line("identity", "SOUL.md", 1, "", "# Juniper"),
        line("identity", "SOUL.md", 3, "aa", "- Answer first"),
        line("recall", "MEMORY.md", 12, "bb", "- 2026-03-03, Maren: We order 40 kilos. #decision"),
        line("long_term", "MEMORY.md", 12, "bb", "- 2026-03-03, Maren: We order 40 kilos. #decision"),
        line(
          "recall",
          "chat/team",
          23,
          "m:23",
          "- Maren: It is at 27.",
          "### 2026-03-04, Wednesday, in team",
        ),
        line(
          "recall",
          "CONFLICTS.md",
          4,
          "cc",
          "- **One:** It is 27. (a.md, x, 2026-03-04)\n **Other:** It is 29. (a.md)",
        ),
        line(
          "recent",
          "memory/2026-03-12.md",
          5,
          "dd",
          "- 2026-03-12: **User:** Ida\n  Cold.\n  [Session](a.md)",
        ),
      ],
      left_out: [],
    },
  };

  it("shows each line once, as it is said, with the sentence that can be put right", () => {
    const { cited: named, told, always, tokens } = readReceipt(reply);
    expect(named.map((each) => [each.number, each.words, each.sentence])).toEqual([
      [1, "Maren: We order 40 kilos.", "We order 40 kilos."],
    ]);
    expect(told.map((each) => [each.words, each.sentence])).toEqual([
      ["Maren: It is at 27.", "It is at 27."],
      ["It is 27. Or: It is 29.", ""],
      ["Cold.", ""],
    ]);
    expect(always.map((each) => each.words)).toEqual(["Answer first"]);
    expect(tokens).toBe(70);
  });
});
