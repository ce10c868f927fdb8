/** What stands in the list: proposals and conflicts alike, each with its words, its kind and its place. */
import type { Schemas } from "../../api/client";
import type { IconName } from "../../parts/Icon";
import { counted, origin, plainWords, saidBy } from "../../words";

export type Proposal = Schemas["ProposalShown"];
export type Conflict = Schemas["ConflictShown"];
export type Side = Schemas["SideShown"];

export type Kind = "soul" | "profile" | "memory" | "correction" | "conflict" | "file";
export const KINDS: Record<Kind, { label: string; icon: IconName; look: "proposal" | "conflict" }> = {
  soul: { label: "Soul", icon: "soul", look: "proposal" },
  profile: { label: "Profile", icon: "person", look: "proposal" },
  memory: { label: "Memory", icon: "plus", look: "proposal" },
  correction: { label: "Correction?", icon: "undo", look: "proposal" },
  conflict: { label: "Conflict", icon: "split", look: "conflict" },
  file: { label: "File", icon: "files", look: "proposal" },
};

export type Row = {
  id: string;
  kind: Kind;
  words: string;
  /** The file, or what else says where. */
  place: string;
  at: string;
  state: string;
  proposal?: Proposal;
  conflict?: Conflict;
};

/** So many words at the beginning of both sides need not be said twice. */
const ALIKE = 2;
const LOGS = ["CONFLICTS.md", "CORRECTIONS.md", "CHANGELOG.md"];

/** Whether a file only tells of changes to others. */
export const isLog = (file: string) => LOGS.includes(file) || file.startsWith("SOUL_HISTORY/");

/** The file that a proposal is about; a log only tells of it. */
export function fileOf(files: readonly string[]): string {
  return files.find((each) => !isLog(each)) ?? files[0] ?? "";
}

export function kindOf(proposal: Pick<Proposal, "author" | "files">): Kind {
  if (proposal.author === "keeper:recall-validator") return "correction";
  const file = fileOf(proposal.files);
  if (file === "SOUL.md") return "soul";
  if (file === "USER.md" || file.endsWith("/USER.md")) return "profile";
  return file.endsWith("MEMORY.md") || file.startsWith("rooms/") ? "memory" : "file";
}

/** Who sees what is written into a file, where its name alone says it. */
export function readersOf(file: string): string {
  if (file === "SOUL.md" || file === "AGENTS.md") return "public";
  if (file === "MEMORY.md" || file === "USER.md") return "owner";
  const room = /^rooms\/(.+)\.md$/.exec(file);
  return room ? `room:${room[1]}` : "";
}

/** The words of a proposal. A correction's block says them behind "Correct"; a removal has none of its own. */
function wordsOf(proposal: Proposal): string {
  const first = proposal.words[0] ?? "";
  const correct = /\*\*Correct:\*\* (.+?)(?= \*\*[A-Z][a-z -]+:\*\*|$)/.exec(first);
  return plainWords(correct?.[1] ?? first) || capital(proposal.reason);
}

export function rowOfProposal(proposal: Proposal): Row {
  return {
    id: proposal.id,
    kind: kindOf(proposal),
    words: wordsOf(proposal),
    place: fileOf(proposal.files),
    at: proposal.at,
    state: proposal.state,
    proposal,
  };
}

export function rowOfConflict(conflict: Conflict): Row {
  return {
    id: conflict.conflict,
    kind: "conflict",
    words: bothSides(conflict),
    place: counted(conflict.sides.length, "memory", "memories"),
    at: foundAt(conflict.found),
    state: conflict.state,
    conflict,
  };
}

/** The newest first, as Home shows them too. */
export function rowsOf(proposals: readonly Proposal[], conflicts: readonly Conflict[]): Row[] {
  return [...proposals.map(rowOfProposal), ...conflicts.map(rowOfConflict)].sort((a, b) =>
    b.at.localeCompare(a.at),
  );
}

/** "2026-02-04 10:00 UTC" as a time; what is written otherwise stays as it is. */
function foundAt(found: string): string {
  const told = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) (?:UTC)?([+-]\d{2}:\d{2})?/.exec(found);
  return told ? `${told[1]}T${told[2]}:00${told[3] ?? "+00:00"}` : found;
}

/** "It is set to 26 degrees, or to 28 degrees?": the second side begins where it differs. */
export function bothSides(of: Conflict): string {
  const [one = "", ...others] = of.sides.map((side) => saidBy(side).words.replace(/[.\s]+$/, ""));
  const first = one.split(" ");
  const rest = others.map((other) => {
    const words = other.split(" ");
    const same = words.findIndex((word, i) => word !== first[i]);
    // One word of what is the same leads over, so that it reads as a sentence.
    return same > ALIKE ? words.slice(same - 1).join(" ") : other;
  });
  return one ? `${[one, ...rest].join(", or ")}?` : of.why;
}

/** Who stated a side: "You", "Tomas". */
export function whoSaid(side: Side): string {
  if (side.origin === "operator") return "You";
  return saidBy(side).who || (side.origin ? origin(side.origin) : "");
}

/** A reason as a sentence. */
export function sentence(text: string): string {
  return text ? capital(text) + (/[.?!…]$/.test(text) ? "" : ".") : "";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
