/** Dates, numbers, audiences and names as the dashboard says them. */

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DAY = 86_400_000;

/** A time from the API. A date without a clock time means that day here, not in Greenwich. */
export function asDate(value: string | Date): Date {
  if (value instanceof Date) return value;
  return new Date(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00` : value);
}

function midnight(of: Date): number {
  return new Date(of.getFullYear(), of.getMonth(), of.getDate()).getTime();
}

/** How many days ago a day was: 0 today, 1 yesterday, -1 tomorrow. */
export function daysAgo(value: string | Date, now = new Date()): number {
  return Math.round((midnight(now) - midnight(asDate(value))) / DAY);
}

/** The date as the API writes it: 2026-03-12. */
export function isoDay(value: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${value.getFullYear()}-${two(value.getMonth() + 1)}-${two(value.getDate())}`;
}

/** "06:00" */
export function clock(value: string | Date): string {
  const date = asDate(value);
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

/** "12 March", with the year when it is another one. */
export function shortDay(value: string | Date, now = new Date()): string {
  const date = asDate(value);
  const year = date.getFullYear() === now.getFullYear() ? "" : ` ${date.getFullYear()}`;
  return `${date.getDate()} ${MONTHS[date.getMonth()]}${year}`;
}

/** "Thursday 12 March", with the year when it is another one. */
export function longDay(value: string | Date, now = new Date()): string {
  return `${DAYS[asDate(value).getDay()]} ${shortDay(value, now)}`;
}

/** "Saturday 14 March 2026" */
export function wholeDay(value: string | Date): string {
  const date = asDate(value);
  return `${DAYS[date.getDay()]} ${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
}

/** A day in few words: "today", "yesterday", "tomorrow", "Thursday" within a week, else "12 March". */
export function nearDay(value: string | Date, now = new Date()): string {
  const ago = daysAgo(value, now);
  if (ago === 0) return "today";
  if (ago === 1) return "yesterday";
  if (ago === -1) return "tomorrow";
  if (Math.abs(ago) < 7) return DAYS[asDate(value).getDay()] ?? "";
  return shortDay(value, now);
}

/** A moment in few words: "today 06:00", "Monday 03:00", "12 March, 05:02". A date alone has no clock time. */
export function moment(value: string | Date, now = new Date()): string {
  const day = nearDay(value, now);
  if (typeof value === "string" && value.length === 10) return day;
  return `${day}${/\d/.test(day) ? "," : ""} ${clock(value)}`;
}

/** "1,234" */
export function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** "13.4 KiB" */
export function bytes(value: number): string {
  if (value < 1024) return `${value} bytes`;
  const kib = value / 1024;
  if (kib < 1024) return `${kib < 100 ? trimmed(kib) : number(Math.round(kib))} KiB`;
  return `${trimmed(kib / 1024)} MiB`;
}

function trimmed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, "");
}

/** "1 memory", "3 memories" */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

const SMALL = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** "nine", "23" — for sentences */
export function spelled(n: number): string {
  return SMALL[n] ?? number(n);
}

/** "once", "twice", "three times" */
export function times(n: number): string {
  return n === 1 ? "once" : n === 2 ? "twice" : `${spelled(n)} times`;
}

/** "1.2 s", "3 min 20 s" */
export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${trimmed(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export type Reach = "owner" | "person" | "room" | "public";

/** An audience of the API (`owner`, `public`, `room:<id>`, `person:<id>`) in its parts. */
export function audienceOf(text: string): { reach: Reach; words: string } {
  const colon = text.indexOf(":");
  const reach = colon < 0 ? text : text.slice(0, colon);
  const id = colon < 0 ? "" : text.slice(colon + 1);
  if (reach === "public") return { reach, words: "Everyone" };
  if (reach === "room") return { reach, words: id };
  if (reach === "person") return { reach, words: person(id) };
  return { reach: "owner", words: "Only you" };
}

/** Who may see a text, within a sentence: "only you", "Tomas", "the people in bakery-team", "everyone". */
export function seenBy(audience: string): string {
  const { reach, words } = audienceOf(audience);
  return reach === "room" ? `the people in ${words}` : reach === "person" ? words : words.toLowerCase();
}

/** A person's name for the eye: `acct:tomas` and `telegram:tomas` are "Tomas". */
export function person(id: string): string {
  const last = id.slice(id.lastIndexOf(":") + 1);
  return /^[a-z][a-z'’-]*$/.test(last) ? last.charAt(0).toUpperCase() + last.slice(1) : last;
}

/** Who made a change (`operator:acct:maren`, `keeper:memory-miner`) in a word: "You", "memory-miner". */
export function author(text: string): string {
  const colon = text.indexOf(":");
  const role = colon < 0 ? text : text.slice(0, colon);
  const id = colon < 0 ? "" : text.slice(colon + 1);
  if (role === "operator") return "You";
  if (role === "outside") return "On disk";
  if (role === "system") return "Oldsoul";
  return role === "keeper" ? id || "A keeper" : id ? person(id) : role;
}

/** Where an entry comes from (`operator`, `agent`, `person` …), for its meta line. */
export function origin(text: string): string {
  if (text === "operator") return "You";
  if (text === "participant") return "Somebody else";
  if (text === "system") return "Oldsoul";
  if (text === "untrusted") return "From outside";
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** An agent's id as a name: "juniper" is "Juniper". */
export function agentName(id: string): string {
  const plain = id.replace(/^_+/, "").replace(/[-_]+/g, " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Who said a memory that came from a message, and the rest: "Tomas: The oven is hot." */
export function saidBy(entry: { text: string; title?: string; source?: string | null }): {
  who: string;
  words: string;
} {
  const words = plainWords(entry.text);
  const found = /^(\p{Lu}[\p{L}'’-]{0,30}): (.+)$/u.exec(words);
  const isSaid = !entry.title && !entry.text.startsWith("**") && (entry.source ?? "").startsWith("m:");
  return found && isSaid ? { who: found[1] ?? "", words: found[2] ?? "" } : { who: "", words };
}

/** An entry's words without what only the file needs: the tag, the date it was added, bold marks, its comment. */
export function plainWords(text: string): string {
  return text
    .replace(/<!--os[\s\S]*?-->/g, "")
    .replace(/\s+#[a-z][a-z-]*\s*$/i, "")
    .replace(/\s+\((?:added|seen) \d{4}-\d{2}-\d{2}[^)]*\)/g, "")
    .replace(/\*\*([^*]+)\*\*/g, "$1")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/** What the slots of a context are called. */
export const SLOT_NAMES: Record<string, string> = {
  identity: "Identity",
  profile: "Profile",
  corrections: "Corrections",
  recent: "Recent",
  recall: "Recall",
  people: "People",
  long_term: "Long term",
  external: "External",
};
