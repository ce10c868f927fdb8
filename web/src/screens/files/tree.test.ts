import { expect, test } from "vitest";
import type { Listed } from "./reading";
import { rowsOf } from "./tree";

const NOW = new Date("2026-03-14T09:00:00");
const NONE = { opened: {}, whole: {} };
const listed = (filename: string, kind: string): Listed => ({
  filename,
  kind,
  size_bytes: 1,
  limit_bytes: 2,
  state: "edited",
  version: "",
  last_modified: "",
});
const day = (date: string, entries: number) => ({
  filename: `memory/${date}.md`,
  date,
  entries,
  size_bytes: 1,
  archived: false,
});
const FILES = [
  listed("CONFIG.md", "config"),
  listed("SOUL.md", "soul"),
  listed("Archive/Chronicles/2026-March.md", "archive"),
  listed("memory/_longterms/acct_tomas/_index.md", "longterm"),
  listed("memory/2026-03-11/maren-2026-03-11-1500.md", "session"),
  listed("rooms/bakery-team.md", "room"),
];
const DAYS = [14, 13, 12, 11, 10, 9, 8].map((n) => day(`2026-03-${String(n).padStart(2, "0")}`, n));

const told = (rows: ReturnType<typeof rowsOf>) =>
  rows.map((row) => {
    if (row.row === "leaf")
      return `${row.name}${row.editable ? " ✎" : ""}${row.count ? ` ${row.count}` : ""}`;
    if (row.row === "group") return `${row.open ? "v" : ">"} ${row.name} ${row.aside}`.trim();
    return row.row === "more" ? `${row.count} more` : "---";
  });

test("the tree has the main files first, then days newest first, rooms, people and what is folded", () => {
  expect(told(rowsOf(FILES, DAYS, NONE, "SOUL.md", "", NOW))).toEqual([
    "SOUL.md ✎",
    "AGENTS.md ✎",
    "USER.md ✎",
    "MEMORY.md ✎",
    "---",
    "CONFIG.md ✎",
    "v Daily Logs read only",
    "Today 14",
    "Fri 13 March 13",
    "Thu 12 March 12",
    "Wed 11 March 11",
    "Tue 10 March 10",
    "2 more",
    "v Rooms",
    "bakery-team ✎",
    "v People",
    "Tomas",
    "> Sessions 1",
    "> Archive 1",
  ]);
});

test("the file that is shown is in sight, also in a folded group", () => {
  const rows = told(rowsOf(FILES, DAYS, NONE, "Archive/Chronicles/2026-March.md", "", NOW));
  expect(rows.slice(-2)).toEqual(["v Archive", "Chronicles/2026-March"]);
});

test("words filter all groups", () => {
  expect(told(rowsOf(FILES, DAYS, NONE, "", "march", NOW)).at(-1)).toBe("Chronicles/2026-March");
  expect(told(rowsOf(FILES, DAYS, NONE, "", "config", NOW))).toEqual(["CONFIG.md ✎"]);
});
