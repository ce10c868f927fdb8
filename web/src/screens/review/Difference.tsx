/** What a change does to files: their difference, each with its section and its size before and after. */
import { useQuery } from "@tanstack/react-query";
import { files } from "../../api/queries";
import type { FileDiff } from "../../diff";
import { Diff } from "../../parts/Diff";
import { bytes } from "../../words";
import type { Whole } from "./deciding";

export function Difference({ agent, of }: { agent: string; of: Whole }) {
  const standing = useQuery(files(agent)).data?.files ?? [];
  const after = (path: string) => of.previews.find((each) => each.path === path)?.text ?? null;
  const size = ({ path }: FileDiff) => {
    const text = after(path);
    const known = standing.find((each) => each.filename === path);
    if (text === null || !known) return null;
    const grown = new TextEncoder().encode(text).length;
    const whole = known.limit_bytes ? ` of ${bytes(known.limit_bytes)}` : "";
    return `${bytes(known.size_bytes)} → ${bytes(grown)}${whole}`;
  };
  return <Diff diff={of.diff} section={(file) => sectionOf(file, after(file.path))} aside={size} />;
}

/** The heading above the first line that differs. */
function sectionOf(file: FileDiff, text: string | null): string {
  if (text === null) return "";
  let at = 0;
  for (const line of file.lines) {
    if (line.kind === "add" || line.kind === "del") break;
    if (line.kind === "same") at = line.after;
  }
  const above = text.split("\n").slice(0, at + 1);
  const heading = above.findLast((line) => /^#{2,6} /.test(line)) ?? "";
  return heading
    .replace(/^#+ /, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .trim();
}

/** What a proposal does, in a few words: "Add a line to SOUL.md". */
export function deedOf(of: Pick<Whole, "diff">, file: string): string {
  let added = 0;
  let removed = 0;
  let here = false;
  for (const line of of.diff.split("\n")) {
    if (line.startsWith("+++ ")) here = line.includes(file);
    else if (here && line.startsWith("+")) added++;
    else if (here && line.startsWith("-") && !line.startsWith("--- a/")) removed++;
  }
  const lines = (n: number) => (n === 1 ? "a line" : `${n} lines`);
  if (added && removed) return `Reword ${lines(Math.max(added, removed))} in ${file}`;
  if (added) return `Add ${lines(added)} to ${file}`;
  if (removed) return `Take ${lines(removed)} out of ${file}`;
  return `Change ${file}`;
}
