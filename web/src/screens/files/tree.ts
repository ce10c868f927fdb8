/** The rows of the file tree: which files there are, in groups, and how each is called. */
import type { IconName } from "../../parts/Icon";
import { asDate, daysAgo, longDay, number, shortDay } from "../../words";
import { isEditable, isRoom, MAIN, personIn } from "./kinds";
import type { Day, Listed } from "./reading";

export type Leaf = {
  row: "leaf";
  path: string;
  name: string;
  icon: IconName;
  editable: boolean;
  /** Said at the end: the number of its entries. */
  count?: number;
  /** The name is a file's name, not words. */
  file?: boolean;
};
export type Row =
  | Leaf
  | { row: "rule" }
  | { row: "group"; id: string; name: string; aside: string; open: boolean }
  | { row: "more"; id: string; count: number };

type Group = { id: string; name: string; leaves: Leaf[]; open: boolean; first?: number; aside?: string };

/** Which groups the person opened or closed, and of which all rows are wanted. */
export type Folds = { opened: Record<string, boolean>; whole: Record<string, boolean> };

const DAYS_SHOWN = 5;

function leaf(path: string, name: string, icon: IconName, more: Partial<Leaf> = {}): Leaf {
  return { row: "leaf", path, name, icon, editable: isEditable(path), ...more };
}

/** "Today", "Fri 13 March". */
export function dayName(day: string, now = new Date()): string {
  if (daysAgo(day, now) === 0) return "Today";
  return longDay(asDate(day), now).replace(/^(\w{3})\w*/, "$1");
}

function dayLeaf({ filename, date, entries }: Day, now: Date): Leaf {
  const part = /\.(\d+)\.md$/.exec(filename)?.[1];
  return leaf(filename, dayName(date, now) + (part ? `, part ${part}` : ""), "days", { count: entries });
}

/** `memory/2026-03-11/maren-2026-03-11-1500.md` is "11 March, maren-1500". */
function sessionLeaf(path: string, now: Date): Leaf {
  const [, day = "", name = ""] = path.split("/");
  return leaf(path, `${shortDay(day, now)}, ${name.replace(/\.md$/, "").replace(`-${day}`, "")}`, "chat");
}

const order = new Intl.Collator("en", { numeric: true }); // made once: thousands of names are compared with it
const byName = (a: Leaf, b: Leaf) => order.compare(a.name, b.name);
const newestFirst = (a: Leaf, b: Leaf) => order.compare(b.path, a.path);

function groupsOf(files: readonly Listed[], days: readonly Day[], now: Date): [Leaf[], Leaf[], Group[]] {
  const known = new Set(days.map((each) => each.filename));
  const other: Leaf[] = [];
  const sorted = new Map<string, Leaf[]>();
  const into = (id: string, made: Leaf) => {
    const found = sorted.get(id);
    if (found) found.push(made);
    else sorted.set(id, [made]);
  };
  for (const { filename: path, kind } of files) {
    const parts = path.split("/");
    const last = path.replace(/\.md$/, "");
    if (kind === "shared") into("rest", leaf(path, path, "files", { file: true, editable: false }));
    else if (MAIN.includes(path)) continue;
    else if (isRoom(path)) into("rooms", leaf(path, last.slice("rooms/".length), "room"));
    else if (isEditable(path)) other.push(leaf(path, path, "files", { file: true }));
    else if (kind === "daily") {
      if (!known.has(path)) into("days", leaf(path, dayName((parts[1] ?? "").slice(0, 10), now), "days"));
    } else if (kind === "session") into("sessions", sessionLeaf(path, now));
    else if (kind === "longterm" || kind === "profile") into("people", leaf(path, personIn(path), "person"));
    else if (kind === "archive") into("archive", leaf(path, last.slice("Archive/".length), "archive"));
    else if (kind === "soul_history") into("soul", leaf(path, last.slice("SOUL_HISTORY/".length), "soul"));
    else if (kind === "skill") into("skills", leaf(path, parts.slice(1, -1).join("/"), "skills"));
    else if (kind === "keeper") into("keepers", leaf(path, parts[1] ?? path, "keepers"));
    else if (parts.length === 1 && kind !== "other") into("own", leaf(path, path, "files", { file: true }));
    else into("rest", leaf(path, path, "files", { file: true }));
  }
  const listed = (id: string, by = byName) => (sorted.get(id) ?? []).sort(by);
  const logs = days.filter((each) => !each.archived).map((each) => dayLeaf(each, now));
  logs.push(...listed("days", newestFirst));
  const groups: Group[] = [
    { id: "days", name: "Daily Logs", leaves: logs, open: true, first: DAYS_SHOWN, aside: "read only" },
    { id: "rooms", name: "Rooms", leaves: listed("rooms"), open: true },
    { id: "people", name: "People", leaves: listed("people"), open: true },
    { id: "sessions", name: "Sessions", leaves: listed("sessions", newestFirst), open: false },
    { id: "archive", name: "Archive", leaves: listed("archive", newestFirst), open: false },
    { id: "soul", name: "Soul before", leaves: listed("soul", newestFirst), open: false },
    { id: "own", name: "Kept by Oldsoul", leaves: listed("own"), open: false },
    { id: "skills", name: "Skills", leaves: listed("skills"), open: false },
    { id: "keepers", name: "Keepers", leaves: listed("keepers"), open: false },
    { id: "rest", name: "Other files", leaves: listed("rest"), open: false },
  ];
  // What all agents share has no files of its own kind; all of them are only read here.
  const isShared = files.some((each) => each.kind === "shared");
  const main = isShared ? [] : MAIN.map((path) => leaf(path, path, "files", { file: true }));
  return [main, other.sort(byName), groups.filter((each) => each.leaves.length)];
}

/** All rows as they are shown: with `words`, only files that have them in their name, in open groups. */
export function rowsOf(
  files: readonly Listed[],
  days: readonly Day[],
  folds: Folds,
  chosen: string,
  words = "",
  now = new Date(),
): Row[] {
  const [main, other, groups] = groupsOf(files, days, now);
  const wanted = words.trim().toLowerCase();
  const fits = (each: Leaf) =>
    !wanted || each.path.toLowerCase().includes(wanted) || each.name.toLowerCase().includes(wanted);
  const rows: Row[] = main.filter(fits);
  const others = other.filter(fits);
  if (others.length) rows.push(...(rows.length ? [{ row: "rule" } as const] : []), ...others);
  let ruled = !rows.length || others.length > 0;
  for (const group of groups) {
    const leaves = group.leaves.filter(fits);
    if (!leaves.length) continue;
    if (!ruled) rows.push({ row: "rule" });
    ruled = true;
    const at = leaves.findIndex((each) => each.path === chosen);
    const open = wanted ? true : (folds.opened[group.id] ?? (group.open || at >= 0));
    const aside = group.aside ?? (open ? "" : number(leaves.length));
    rows.push({ row: "group", id: group.id, name: group.name, aside, open });
    if (!open) continue;
    const first = group.first ?? leaves.length;
    if (wanted || folds.whole[group.id] || at >= first || leaves.length <= first + 1) rows.push(...leaves);
    else rows.push(...leaves.slice(0, first), { row: "more", id: group.id, count: leaves.length - first });
  }
  return rows;
}
