/** Two people wrote in one text: both together, line by line, and in words what one of them did. */
import { changedLines, steps } from "../../diff";
import { counted, number } from "../../words";

/** Lines `from` to `to` (without `to`) of the base became `lines`. */
type Hunk = { from: number; to: number; lines: string[] };

function hunks(base: readonly string[], text: readonly string[]): Hunk[] {
  const result: Hunk[] = [];
  let open: Hunk | undefined;
  let at = 0;
  for (const step of steps(base, text)) {
    if (step.kind === "same") {
      open = undefined;
      at = step.before + 1;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, lines: [] };
      result.push(open);
    }
    if (step.kind === "del") {
      open.to = step.before + 1;
      at = open.to;
    } else open.lines.push(text[step.after] ?? "");
  }
  return result;
}

const isInsertion = (hunk: Hunk) => hunk.from === hunk.to;

/** Lines that one only inserted beside what the other changed do not clash; both stay. */
function clash(a: Hunk, b: Hunk): boolean {
  if (isInsertion(a) || isInsertion(b)) {
    const [point, other] = isInsertion(a) ? [a.from, b] : [b.from, a];
    return point > other.from && point < other.to;
  }
  return a.from < b.to && b.from < a.to;
}

function isSame(a: Hunk, b: Hunk): boolean {
  return a.from === b.from && a.to === b.to && a.lines.join("\n") === b.lines.join("\n");
}

/** `mine` and `theirs`, which both come from `base`, as one text; null where both changed the same lines. */
export function mergeBoth(base: string, mine: string, theirs: string): string | null {
  const lines = base.split("\n");
  const own = hunks(lines, mine.split("\n"));
  const other = hunks(lines, theirs.split("\n")).filter((hunk) => !own.some((each) => isSame(each, hunk)));
  if (other.some((hunk) => own.some((each) => clash(each, hunk)))) return null;
  // An insertion comes before a change that begins at the same line.
  const all = [...other, ...own].sort(
    (a, b) => a.from - b.from || Number(isInsertion(b)) - Number(isInsertion(a)),
  );
  const result: string[] = [];
  let at = 0;
  for (const hunk of all) {
    result.push(...lines.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  result.push(...lines.slice(at));
  return result.join("\n");
}

/** Where lines of a text (numbers from 1) stand in another one. */
export function movedLines(of: string, to: string, which: readonly number[]): number[] {
  if (of === to || !which.length) return [...which];
  const wanted = new Set(which);
  return steps(of.split("\n"), to.split("\n"))
    .filter((step) => step.kind === "same" && wanted.has(step.before + 1))
    .map((step) => step.after + 1);
}

/** What was done to a text: "added line 19", "changed lines 3 to 5", "removed 2 lines". */
export function whatWasDone(before: string, after: string): string {
  const come = changedLines(before, after);
  const gone = changedLines(after, before);
  if (!come.length) return gone.length ? `removed ${counted(gone.length, "line")}` : "changed nothing";
  const verb = gone.length ? "changed" : "added";
  const first = come[0] ?? 0;
  const last = come.at(-1) ?? first;
  if (come.length === 1) return `${verb} line ${number(first)}`;
  if (last - first + 1 === come.length) return `${verb} lines ${number(first)} to ${number(last)}`;
  return `${verb} ${counted(come.length, "line")}`;
}
