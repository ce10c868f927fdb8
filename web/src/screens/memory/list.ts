/** The list of entries: what the address asks for, and pages of it, read where the eye is. */
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useParam } from "../../address";
import type { Schemas } from "../../api/client";
import { conflicts, type EntryFilter, entries } from "../../api/queries";
import { isoDay, origin } from "../../words";

export type Entry = Schemas["EntryShown"];
export const PAGE = 200;
export const ORDERS = ["seen", "added", "confidence", "file"] as const;
export type Order = (typeof ORDERS)[number];
const TAGS = ["event", "knowledge", "skill", "decision", "correction"] as const;
const DAY_MS = 86_400_000;

function isOrder(text: string): text is Order {
  return (ORDERS as readonly string[]).includes(text);
}

/** The filters and the order, as they stand in the address. */
export function useWanted() {
  const [words, setWords] = useParam("q");
  const [tag, setTag] = useParam("tag");
  const [audience, setAudience] = useParam("audience");
  const [sure, setSure] = useParam("sure");
  const [last, setLast] = useParam("last");
  const [file, setFile] = useParam("file");
  const [sort, setSort] = useParam("sort", "seen");
  const [turned, setTurned] = useParam("turned");
  const order: Order = isOrder(sort) ? sort : "seen";
  // A file is read from its top; days and confidence from the newest and the surest.
  const descending = (order === "file") === (turned === "yes");
  const query = useMemo<EntryFilter>(() => {
    const known = TAGS.find((each) => each === tag);
    const least = Number(sure);
    const days = Number(last);
    const fading = sure === "fading";
    return {
      ...(words ? { words } : {}),
      ...(known ? { tag: known } : {}),
      ...(audience ? { audience } : {}),
      ...(fading ? { at_most: 0.45 } : least > 0 && least <= 1 ? { confidence: least } : {}),
      ...(days > 0 ? { since: isoDay(new Date(Date.now() - (days - 1) * DAY_MS)) } : {}),
      ...(file ? { path: file } : {}),
      order,
      descending,
    };
  }, [words, tag, audience, sure, last, file, order, descending]);
  return {
    query,
    words,
    setWords,
    tag,
    setTag,
    audience,
    setAudience,
    sure,
    setSure,
    last,
    setLast,
    file,
    setFile,
    order,
    setSort,
    descending,
    turned: turned === "yes",
    setTurned,
    filtered: Boolean(words || tag || audience || sure || last || file),
  };
}

export type Wanted = ReturnType<typeof useWanted>;
export { TAGS };

/**
 * The entries from `first` to `last` and how many there are. A cursor of this list is the number of entries before it,
 * so that a page in the middle can be read without those before.
 */
export function useEntries(agent: string, query: EntryFilter, first: number, last: number) {
  const head = useQuery(entries(agent, { ...query, limit: PAGE }));
  const total = head.data?.total ?? 0;
  const from = Math.max(1, Math.floor(first / PAGE));
  const to = Math.min(Math.floor(last / PAGE), Math.floor(Math.max(0, total - 1) / PAGE));
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
  const others = useQueries({
    queries: numbers.map((page) => ({
      ...entries(agent, { ...query, limit: PAGE, cursor: String(page * PAGE) }),
      placeholderData: keepPreviousData,
    })),
  });
  const pages = new Map<number, readonly Entry[]>([[0, head.data?.entries ?? []]]);
  numbers.forEach((page, i) => {
    const read = others[i];
    if (read?.data && !read.isPlaceholderData) pages.set(page, read.data.entries);
  });
  const at = (index: number): Entry | undefined => pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  const find = (entry: string, path: string): number => {
    for (const [page, list] of pages) {
      const found = list.findIndex((each) => each.entry === entry && (!path || each.path === path));
      if (found >= 0) return page * PAGE + found;
    }
    return -1;
  };
  return { head, total, at, find };
}

/** Whether an entry is one side of an open conflict. */
export function useInConflict(agent: string): (entry: string) => boolean {
  const { data } = useQuery(conflicts(agent));
  const refs = useMemo(
    () => new Set((data?.conflicts ?? []).flatMap((each) => each.sides.map((side) => side.ref))),
    [data],
  );
  return useCallback((entry) => refs.has(entry), [refs]);
}

/** Who said an entry, in a word: you, somebody, or the agent itself. */
export function saidIn(entry: Entry, who: string, agent: string): string {
  if (entry.origin === "operator") return "You";
  return who || (entry.origin === "agent" ? agent : origin(entry.origin));
}
