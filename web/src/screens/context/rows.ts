/** Two prompts laid beside each other: rows that stay level, and why a line stands on one side only. */
import type { Schemas } from "../../api/client";
import { SLOT_NAMES, seenBy } from "../../words";
import { maySee, type View } from "./seeing";
import type { Prompt } from "./views";

export type Line = Schemas["IncludedShown"];
export type Row = { key: string; a?: Line; b?: Line };
export type SlotRows = { slot: number; name: string; rows: Row[] };

/** What makes a line the same line in two prompts: its entry, or its place and words. */
export function keyOf(line: { entry: string; document: string; start_line: number; text: string }): string {
  return line.entry ? `${line.document} ${line.entry}` : `${line.document}:${line.start_line} ${line.text}`;
}

/** Both lists in one, each in its own order; what both have stands in one row. */
function level(a: readonly Line[], b: readonly Line[]): Row[] {
  const inA = new Set(a.map(keyOf));
  const inB = new Map(b.map((line, at) => [keyOf(line), { line, at }]));
  const rows: Row[] = [];
  let next = 0;
  const takeAlone = (until: number) => {
    for (const line of b.slice(next, until)) {
      if (!inA.has(keyOf(line))) rows.push({ key: keyOf(line), b: line });
    }
    next = Math.max(next, until);
  };
  for (const line of a) {
    const key = keyOf(line);
    const same = inB.get(key);
    if (same) takeAlone(same.at);
    rows.push({ key, a: line, b: same?.line });
  }
  takeAlone(b.length);
  return rows;
}

export function slotRows(a: Prompt, b: Prompt): SlotRows[] {
  return a.context.slots.map((slot) => {
    const of = (prompt: Prompt) => prompt.context.receipt.included.filter((line) => line.slot === slot.name);
    return { slot: slot.slot, name: slot.name, rows: level(of(a), of(b)) };
  });
}

export type Side = { view: View; prompt: Prompt };

/** Why a line of one prompt is not in another. Only the operator's page says so. */
export function whyAbsent(line: Line, other: Side, you: string): string {
  const key = keyOf(line);
  const told = other.prompt.context.receipt.included.find((each) => keyOf(each) === key);
  if (told) return `Told here under ${SLOT_NAMES[told.slot] ?? told.slot}.`;
  const left = other.prompt.context.receipt.left_out.find((each) => keyOf(each) === key);
  if (left) return `Left out here: ${left.why}.`;
  if (isHidden(line, other, you))
    return `Not here: only ${seenBy(line.audience).replace(/^only /, "")} may see it.`;
  return "Not here: it was not chosen for this conversation.";
}

/** Whether the people of a view may not see a line. A prompt that has such words shows that they may. */
export function isHidden(line: Line, other: Side, you: string): boolean {
  if (maySee(other.view, you, line.audience)) return false;
  const { included, left_out } = other.prompt.context.receipt;
  return ![...included, ...left_out].some((each) => each.audience === line.audience);
}

/** The lines of one prompt that the other's people may not see. */
export function hiddenFrom(side: Side, other: Side, you: string): Line[] {
  return side.prompt.context.receipt.included.filter((line) => isHidden(line, other, you));
}

/** A folded slot in few words: "SOUL.md, 21 lines". */
export function summary(lines: readonly Line[]): string {
  const documents = new Set(lines.map((line) => line.document));
  const count = `${lines.length} ${lines.length === 1 ? "line" : "lines"}`;
  if (documents.size === 1) return `${[...documents][0]}, ${count}`;
  return lines.length ? `${count} from ${documents.size} files` : "";
}
