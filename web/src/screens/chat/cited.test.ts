import { describe, expect, it } from "vitest";
import { cited } from "./cited";

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
