/** Values of settings as somebody types them, and back; and which section each setting stands in. */
import type { Schemas } from "../../api/client";

export type Setting = Schemas["SettingShown"];
type One = string | number | boolean;
export type Value = One | One[] | Record<string, One>;

/** How a value is typed: `entries` have parts of their own and are typed in the file alone. */
export type Form = "switch" | "choice" | "number" | "list" | "names" | "entries" | "text";

export function formOf(of: Setting): Form {
  if (of.type.startsWith("a list of entries")) return "entries";
  if (of.type.startsWith("a list")) return "list";
  if (of.type.startsWith("names")) return "names";
  if (of.type === "true or false") return "switch";
  if (of.choices.length) return "choice";
  return /^a (whole )?number/.test(of.type) ? "number" : "text";
}

/** The value in force as text to type in: lists and names take a line each. */
export function typed(of: Setting): string {
  if (of.secret) return "";
  const value = of.value as unknown;
  const form = formOf(of);
  if (form === "names") {
    const pairs = Array.isArray(value) ? [] : Object.entries((value ?? {}) as Record<string, One>);
    return pairs.map(([name, each]) => `${name}: ${String(each)}`).join("\n");
  }
  if (Array.isArray(value)) return value.map(String).join("\n");
  return value === null || value === undefined ? "" : String(value);
}

/** What is sent for a text. What makes no sense is sent as it is: the server says what is wrong with it. */
export function sent(of: Setting, text: string): Value {
  const form = formOf(of);
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  if (form === "list") return lines;
  if (form === "names") {
    return Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return colon < 0 ? [line, ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
      }),
    );
  }
  if (form === "switch") return text === "true";
  if (form === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  return form === "text" ? text : text.trim();
}

/** The value in force, for the eye. Empty values say so. */
export function shown(of: Setting): { words: string; isText: boolean } {
  const value = of.value as unknown;
  if (of.secret) return { words: isSet(value) ? "set, never shown" : "not set", isText: false };
  if (!isSet(value)) return { words: "empty", isText: false };
  if (formOf(of) === "entries")
    return { words: (value as unknown[]).map((each) => JSON.stringify(each)).join("\n"), isText: true };
  return { words: formOf(of) === "list" ? typed(of).replaceAll("\n", ", ") : typed(of), isText: true };
}

function isSet(value: unknown): boolean {
  if (value === "" || value === null || value === undefined) return false;
  return typeof value === "object" ? Object.keys(value).length > 0 : true;
}

export type Section = { id: string; name: string; about: string };
export const SECTIONS: readonly Section[] = [
  { id: "general", name: "General", about: "Which agents there are, who operates them, and the time zone." },
  { id: "memory", name: "Memory", about: "What is remembered, for how long, and who may change it." },
  { id: "search", name: "Search", about: "How memory is found again: embedder, index and ranking." },
  { id: "context", name: "Context", about: "What an agent is told before it replies, and how much of it." },
  { id: "keepers", name: "Keepers", about: "When keepers run, which model they ask, and the digest." },
  { id: "storage", name: "Storage", about: "Where data is kept." },
];

export function sectionOf(path: string): string {
  if (path.startsWith("memory.search.")) return "search";
  const first = path.split(".")[0] ?? "";
  if (["memory", "context", "keepers"].includes(first)) return first;
  return ["storage", "git"].includes(first) ? "storage" : "general";
}

/** The settings in the order of the file, by the part of the path before the last word. */
export function groups(of: Setting[]): [string, Setting[]][] {
  const found = new Map<string, Setting[]>();
  for (const each of of) {
    const parent = each.path.includes(".") ? each.path.slice(0, each.path.lastIndexOf(".")) : "";
    found.set(parent, [...(found.get(parent) ?? []), each]);
  }
  return [...found];
}

/** "memory.search.query" is "Search: query". */
export function groupName(parent: string): string {
  if (!parent) return "Whole home";
  const words = parent
    .replace(/^memory\.(?=.)/, "")
    .replace(/_/g, " ")
    .split(".");
  const [first = "", ...rest] = words;
  const head = first.charAt(0).toUpperCase() + first.slice(1);
  return rest.length ? `${head}: ${rest.join(", ")}` : head;
}
