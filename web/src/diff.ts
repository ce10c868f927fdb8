/** Differences: of two texts, of a unified diff, and the words that differ within two lines. */

export type Mark = { text: string; differs: boolean };
export type DiffLine =
  | { kind: "same"; text: string; before: number; after: number }
  | { kind: "del"; text: string; before: number; marks: Mark[] }
  | { kind: "add"; text: string; after: number; marks: Mark[] }
  | { kind: "skip"; count: number; lines: DiffLine[] };
export type FileDiff = { path: string; lines: DiffLine[] };

type Step = { kind: "same" | "del" | "add"; before: number; after: number };
const MOST_CELLS = 4_000_000;

/** The steps that make `after` from `before`, item by item. */
export function steps(before: readonly string[], after: readonly string[]): Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const result: Step[] = [];
  for (let i = 0; i < start; i++) result.push({ kind: "same", before: i, after: i });
  const a = before.slice(start, before.length - end);
  const b = after.slice(start, after.length - end);
  for (const each of middle(a, b))
    result.push({ kind: each.kind, before: each.before + start, after: each.after + start });
  for (let i = 0; i < end; i++)
    result.push({ kind: "same", before: before.length - end + i, after: after.length - end + i });
  return result;
}

function middle(a: readonly string[], b: readonly string[]): Step[] {
  const result: Step[] = [];
  if (a.length * b.length > MOST_CELLS || !a.length || !b.length) {
    a.forEach((_, i) => {
      result.push({ kind: "del", before: i, after: 0 });
    });
    b.forEach((_, i) => {
      result.push({ kind: "add", before: a.length, after: i });
    });
    return result;
  }
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      result.push({ kind: "same", before: i++, after: j++ });
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) {
      result.push({ kind: "del", before: i++, after: j });
    } else {
      result.push({ kind: "add", before: i, after: j++ });
    }
  }
  return result;
}

const pieces = (text: string) => text.match(/<!--[\s\S]*?-->|[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

/** Both lines with the words marked that differ; nothing is marked where hardly anything is the same. */
export function wordMarks(before: string, after: string): [Mark[], Mark[]] {
  const a = pieces(before);
  const b = pieces(after);
  const made = steps(a, b);
  const same = made.filter((each) => each.kind === "same" && (a[each.before] ?? "").trim()).length;
  const most = Math.max(a.filter((each) => each.trim()).length, b.filter((each) => each.trim()).length);
  if (same < most * 0.2) return [[{ text: before, differs: false }], [{ text: after, differs: false }]];
  const left: Mark[] = [];
  const right: Mark[] = [];
  for (const each of made) {
    if (each.kind !== "add") join(left, a[each.before] ?? "", each.kind === "del");
    if (each.kind !== "del") join(right, b[each.after] ?? "", each.kind === "add");
  }
  return [bridged(left), bridged(right)];
}

function join(marks: Mark[], text: string, differs: boolean): void {
  const last = marks.at(-1);
  if (last && last.differs === differs) last.text += text;
  else marks.push({ text, differs });
}

/** A single space between two words that differ is marked with them. */
function bridged(marks: Mark[]): Mark[] {
  const result: Mark[] = [];
  marks.forEach((each, i) => {
    const between = !each.differs && !each.text.trim() && marks[i - 1]?.differs && marks[i + 1]?.differs;
    join(result, each.text, each.differs || Boolean(between));
  });
  return result;
}

/** Lines that were removed and added side by side get their words marked. */
function marked(lines: DiffLine[]): DiffLine[] {
  let i = 0;
  while (i < lines.length) {
    const gone: Extract<DiffLine, { kind: "del" }>[] = [];
    const come: Extract<DiffLine, { kind: "add" }>[] = [];
    for (let line = lines[i]; line?.kind === "del"; line = lines[++i]) gone.push(line);
    for (let line = lines[i]; line?.kind === "add"; line = lines[++i]) come.push(line);
    gone.forEach((line, n) => {
      const other = come[n];
      if (other) [line.marks, other.marks] = wordMarks(line.text, other.text);
    });
    if (!gone.length && !come.length) i++;
  }
  return lines;
}

/** The lines of two texts; where many are the same they are one line that says so. */
export function diffOfTexts(before: string, after: string, context = 3): DiffLine[] {
  const a = linesOf(before);
  const b = linesOf(after);
  const lines = steps(a, b).map((each): DiffLine => {
    if (each.kind === "same")
      return { kind: "same", text: a[each.before] ?? "", before: each.before + 1, after: each.after + 1 };
    const text = (each.kind === "del" ? a[each.before] : b[each.after]) ?? "";
    const marks = [{ text, differs: false }];
    return each.kind === "del"
      ? { kind: "del", text, before: each.before + 1, marks }
      : { kind: "add", text, after: each.after + 1, marks };
  });
  return folded(marked(lines), context);
}

export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function folded(lines: DiffLine[], context: number): DiffLine[] {
  const near = new Uint8Array(lines.length);
  lines.forEach((line, i) => {
    if (line.kind !== "same") near.fill(1, Math.max(0, i - context), i + context + 1);
  });
  const result: DiffLine[] = [];
  for (let i = 0; i < lines.length; ) {
    let end = i;
    while (end < lines.length && !near[end]) end++;
    const run = lines.slice(i, end);
    if (run.length > 1) result.push({ kind: "skip", count: run.length, lines: run });
    else result.push(...run);
    while (end < lines.length && near[end]) result.push(lines[end++] as DiffLine);
    i = end;
  }
  return result;
}

/** The files of a unified diff, as the API gives it. */
export function diffOfUnified(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  let file: FileDiff | undefined;
  let old = 0;
  let now = 0;
  let oldLeft = 0;
  let nowLeft = 0;
  let last = 0;
  for (const line of text.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (oldLeft <= 0 && nowLeft <= 0 && (line.startsWith("--- ") || line.startsWith("+++ "))) {
      const path = line.slice(4).split("\t")[0]?.trim() ?? "";
      if (line.startsWith("--- ") || !file) {
        file = { path, lines: [] };
        files.push(file);
        last = 0;
      }
      if (path && path !== "/dev/null") file.path = path.replace(/^[ab]\//, "");
    } else if (hunk) {
      if (!file) {
        file = { path: "", lines: [] };
        files.push(file);
      }
      old = Number(hunk[1]);
      now = Number(hunk[3]);
      oldLeft = Number(hunk[2] ?? 1);
      nowLeft = Number(hunk[4] ?? 1);
      if (old > last + 1) file.lines.push({ kind: "skip", count: old - last - 1, lines: [] });
      last = old + oldLeft - 1;
    } else if (file && (oldLeft > 0 || nowLeft > 0) && !line.startsWith("\\")) {
      const words = line.slice(1);
      const marks = [{ text: words, differs: false }];
      if (line.startsWith("-")) {
        file.lines.push({ kind: "del", text: words, before: old++, marks });
        oldLeft--;
      } else if (line.startsWith("+")) {
        file.lines.push({ kind: "add", text: words, after: now++, marks });
        nowLeft--;
      } else {
        file.lines.push({ kind: "same", text: words, before: old++, after: now++ });
        oldLeft--;
        nowLeft--;
      }
    }
  }
  for (const each of files) marked(each.lines);
  return files;
}

/** The numbers (from 1) of the lines of `after` that are not in `before`. */
export function changedLines(before: string, after: string): number[] {
  const b = after.split("\n");
  return steps(before.split("\n"), b)
    .filter((each) => each.kind === "add")
    .map((each) => each.after + 1);
}

export type TextChange = { from: number; to: number; insert: string };

/** What to replace in `before`, in order and each place once, so that it becomes `after`; lines that are the same stay. */
export function textChanges(before: string, after: string): TextChange[] {
  if (before === after) return [];
  const a = before.split("\n");
  const b = after.split("\n");
  const changes: TextChange[] = [];
  let open: { from: number; to: number; lines: string[] } | undefined;
  let at = 0; // where the next line of `before` begins
  const close = () => {
    if (open) changes.push(changeOf(before, open.from, open.to, open.lines));
    open = undefined;
  };
  for (const step of steps(a, b)) {
    if (step.kind === "same") close();
    else open ??= { from: at, to: at, lines: [] };
    if (step.kind === "add") open?.lines.push(b[step.after] ?? "");
    else at += (a[step.before] ?? "").length + 1;
    if (open && step.kind === "del") open.to = at;
  }
  close();
  return changes;
}

/** Whole lines, cut down to the letters that differ. The last line has no line end: the one before it counts instead. */
function changeOf(text: string, from: number, to: number, lines: string[]): TextChange {
  let insert = lines.map((line) => `${line}\n`).join("");
  if (to > text.length) {
    insert = (from > 0 && lines.length ? "\n" : "") + lines.join("\n");
    from = Math.max(0, from - 1);
    to = text.length;
  }
  let start = 0;
  while (from + start < to && start < insert.length && text[from + start] === insert[start]) start++;
  let end = 0;
  const most = Math.min(to - from, insert.length) - start;
  while (end < most && text[to - 1 - end] === insert[insert.length - 1 - end]) end++;
  return { from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) };
}
