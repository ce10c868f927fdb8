import { describe, expect, it } from "vitest";
import { isDay, lastOfMonth, later, strength, weeks } from "./calendar";

describe("days of the heat map", () => {
  it("makes whole weeks from Monday to Sunday", () => {
    const made = weeks("2026-03-04", "2026-03-10");
    expect(made).toEqual([
      [null, null, "2026-03-04", "2026-03-05", "2026-03-06", "2026-03-07", "2026-03-08"],
      ["2026-03-09", "2026-03-10", null, null, null, null, null],
    ]);
  });

  it("counts over the ends of months and years", () => {
    expect(later("2025-12-31", 1)).toBe("2026-01-01");
    expect(later("2026-03-01", -1)).toBe("2026-02-28");
    expect(lastOfMonth("2024-02-10")).toBe("2024-02-29");
  });

  it("knows what is no day", () => {
    expect(isDay("2026-02-30")).toBe(false);
    expect(isDay("yesterday")).toBe(false);
    expect(isDay("2026-03-14")).toBe(true);
  });

  it("draws something for little and most for most", () => {
    expect([0, 1, 5, 20].map((count) => strength(count, 20))).toEqual([0, 1, 1, 4]);
  });
});
