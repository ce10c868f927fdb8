/** What the files of a workspace are: who may see them, which can be edited, what happens when they are nearly full. */
import { bytes, person } from "../../words";

/** The files of an agent that people edit, in their order. */
export const MAIN = ["SOUL.md", "AGENTS.md", "USER.md", "MEMORY.md"];
const ALSO = ["TOOLS.md", "IDENTITY.md", "HEARTBEAT.md", "CONFIG.md"];
const FOR_ALL = [
  "SOUL.md",
  "AGENTS.md",
  "TOOLS.md",
  "IDENTITY.md",
  "HEARTBEAT.md",
  "BOOTSTRAP.md",
  "BOOT.md",
];

export const isRoom = (path: string) => /^rooms\/[^/]+\.md$/.test(path);
export const isEditable = (path: string) => MAIN.includes(path) || ALSO.includes(path) || isRoom(path);
/** Files with a template, which they can be reset to. */
export const hasTemplate = (path: string) => MAIN.includes(path) || ALSO.includes(path);

/** The id of a room or a person in a path: `acct_tomas` is `acct:tomas`. */
export const idIn = (segment: string) => segment.replace("_", ":");

/** Who may see a file, as the API writes it; empty where each entry has its own audience. */
export function audienceOfFile(path: string): string {
  const parts = path.split("/");
  if (isRoom(path)) return `room:${(parts[1] ?? "").replace(/\.md$/, "")}`;
  if (path.startsWith("memory/_longterms/")) return `person:${idIn(parts[2] ?? "")}`;
  if (parts[0] === "memory" || path.startsWith("Archive/Daily/")) return "";
  if (FOR_ALL.includes(path) || parts[0] === "skills") return "public";
  return "owner";
}

/** The name of a person's file for the eye. */
export function personIn(path: string): string {
  const name = person(idIn(path.split("/")[2] ?? ""));
  return path.endsWith("/profile.md") ? `${name}, profile` : name;
}

/** What happens to a file of this size; empty below 80 % of its limit. */
export function fullness(
  path: string,
  size: number,
  limit: number,
): { look: "conflict" | "danger"; words: string } | null {
  if (!limit || size <= limit * 0.8) return null;
  if (size > limit)
    return { look: "danger", words: `${bytes(size - limit)} too large: it cannot be saved like this` };
  const part = `${Math.floor((100 * size) / limit)} % full`;
  if (path === "MEMORY.md")
    return { look: "conflict", words: `${part}: what is learnt next archives the oldest entries` };
  if (isRoom(path))
    return { look: "conflict", words: `${part}: the next tidying archives the oldest entries` };
  return { look: "conflict", words: `${part}: more than ${bytes(limit)} cannot be saved` };
}
