/** What a reply says, apart from where it says it from; and the lines of its receipt as a person reads them. */
import type { Schemas } from "../../api/client";
import { dayOf } from "../../remembered";
import { plainWords, SLOT_NAMES, shortDay } from "../../words";

export type Reply = Schemas["ReplyShown"];
type Included = Schemas["IncludedShown"];

/** A place that a reply names: `Source: MEMORY.md#L12-L14`. */
export type Source = { number: number; path: string; start: number; end: number; words: string };

const SOURCE = /\s*\[?Source:\s+(\S+?)#L(\d+)(?:-L(\d+))?\]?/g;
const CORRECTION =
  /\*\*Correct:\*\*\s+([\s\S]+?)(?:\s+\*\*(?:Means|Right value|Wrong value):\*\*[\s\S]*?)?(?=\s*\(\d{4}-|\s*$)/;

/** The reply as Markdown, its sources as numbers that lead to `#cite-1` …, and the sources. */
export function cited(text: string): { text: string; sources: Source[] } {
  const sources: Source[] = [];
  const lines = text.split("\n").map((line) => {
    if (!SOURCE.test(line)) return line;
    SOURCE.lastIndex = 0;
    let said = "";
    let from = 0;
    for (const found of line.matchAll(SOURCE)) {
      const before = readable(line.slice(from, found.index));
      const [, path = "", first = "", last = first] = found;
      const known = sources.find((each) => each.path === path && each.start === Number(first));
      const source = known ?? {
        number: sources.length + 1,
        path,
        start: Number(first),
        end: Number(last ?? first),
        words: plainWords(before.replace(/^\s*[-*]\s+/, "").replace(/\s*\([^()]*\)\s*$/, "")),
      };
      if (!known) sources.push(source);
      said += `${before}[${source.number}](#cite-${source.number})`;
      from = found.index + found[0].length;
    }
    return said + line.slice(from);
  });
  return { text: lines.join("\n"), sources };
}

/** A line of memory as a sentence: without its tag, a correction as what is right, days as they are said. */
function readable(line: string): string {
  const bullet = /^\s*[-*]\s+/.exec(line)?.[0] ?? "";
  return (
    bullet +
    line
      .slice(bullet.length)
      .replace(CORRECTION, "$1")
      .replace(/\s+#[a-z][a-z-]*(?=\s*(\(|$))/i, "")
      .replace(
        /\((?:([^()]*), )?(\d{4}-\d{2}-\d{2})\)\s*$/,
        (_, who: string | undefined, day: string) =>
          `(${who ? `${who}, ` : ""}${shortDay(day).replaceAll(" ", "\u00a0")})`,
      )
  );
}

/** A line of the receipt. */
export type Told = {
  key: string;
  /** Its number in the reply, where it is cited. */
  number?: number;
  words: string;
  /** The sentence that can be put right, where the line is one. */
  sentence: string;
  document: string;
  line: number;
  entry: string;
  audience: string;
  tokens?: number;
  slot: string;
  score: number;
  place: string;
  isRight: boolean;
};

export const SLOTS = [
  "identity",
  "profile",
  "corrections",
  "recent",
  "recall",
  "people",
  "long_term",
  "external",
];
/** What is told before every reply, whatever is asked. */
const isAlways = (line: Told) =>
  line.slot === "identity" || line.slot === "profile" || line.document === "SOUL.md";
export const CONFLICTS = "CONFLICTS.md";

const STAMP = /^\s*-?\s*(?:(\d{4}-\d{2}-\d{2})(?:\s+\d{2}:\d{2})?[,:]\s+)?/;

function told(of: Included | Schemas["LeftOutShown"], at: number): Told {
  const day = STAMP.exec(of.text)?.[1] ?? (dayOf(of.under) || undefined);
  const right = CORRECTION.exec(of.text)?.[1];
  const bare = of.text.replace(STAMP, "").replace(/\s+\(earlier\)\s*$/, "");
  const words = plainWords(right ?? bothSides(bare) ?? withoutPlumbing(bare));
  const isOne =
    of.entry !== "" &&
    of.slot !== "recent" &&
    of.document !== CONFLICTS &&
    (right !== undefined || !bare.includes("\n"));
  return {
    key: `${of.slot} ${of.document} ${of.entry || of.start_line} ${at}`,
    words,
    sentence: isOne ? sentence(right ?? bare) : "",
    document: of.document,
    line: of.start_line,
    entry: of.entry,
    audience: of.audience,
    tokens: of.tokens,
    slot: of.slot,
    score: "score" in of ? of.score : 0,
    place: placeOf(of.document, of.start_line, day),
    isRight: of.document === "CORRECTIONS.md",
  };
}

/** A conflict as what its two sides say; nothing where it is none. */
function bothSides(text: string): string | undefined {
  const sides = /\*\*One:\*\*\s+([\s\S]+?)\s+\*\*Other:\*\*\s+([\s\S]+?)\s*(?:\*\*|$)/.exec(text);
  const [one, other] = (sides?.slice(1) ?? []).map((side) => side.replace(/\s*\([^()]*\)\s*$/, ""));
  return one && other && `${one} Or: ${other}`;
}

/** A line of a log without who was there and where the rest stands; a reply without its sources. */
function withoutPlumbing(text: string): string {
  const lines = text.split("\n").filter((line) => !/^\s*(\*\*(Room|User):\*\*|\[Session\]\()/.test(line));
  return cited(lines.join("\n"))
    .text.replace(/\[\d+\]\(#cite-\d+\)/g, "")
    .replace(/\s*\(\d{4}-\d{2}-\d{2}\/[^)\s]+\.md\)/g, "");
}

/** The words without who said them and without a title: what a correction replaces wherever it stands. */
function sentence(text: string): string {
  return plainWords(text.replace(/^\*\*[^*]+\*\*:\s+/, "")).replace(
    /^\p{Lu}[\p{L}'’-]{0,30}(?: in [^:]{1,60})?: /u,
    "",
  );
}

/** Where a line stands, for the eye: `MEMORY.md:12`, or "chat, 13 March". */
export function placeOf(document: string, line: number, day?: string): string {
  if (document.startsWith("chat/")) return day ? `chat, ${shortDay(day)}` : "chat";
  return line > 0 ? `${document}:${line}` : document;
}

export type Read = {
  cited: Told[];
  told: Told[];
  always: Told[];
  leftOut: (Told & { why: string })[];
  tokens: number;
  slots: { slot: number; name: string; tokens: number }[];
};

/** A receipt in the order a person asks: what the reply names, what else it knew, what it always knows, what it did not. */
export function readReceipt(reply: Reply): Read {
  const all = reply.receipt.included.map(told);
  const { sources } = cited(reply.text);
  const used = new Set<Told>();
  const named = sources.map((source): Told => {
    const found = all.find(
      (each) => each.document === source.path && each.line >= source.start && each.line <= source.end,
    );
    if (found) {
      // The same memory may be told in two slots; it is shown once.
      for (const each of all)
        if (each.document === found.document && each.line === found.line) used.add(each);
      return { ...found, number: source.number };
    }
    return {
      key: `source ${source.number}`,
      number: source.number,
      words: source.words,
      sentence: sentence(source.words),
      document: source.path,
      line: source.start,
      entry: source.path.startsWith("chat/") ? `m:${source.start}` : "",
      audience: "",
      slot: "recall",
      score: 1,
      place: placeOf(source.path, source.start),
      isRight: source.path === "CORRECTIONS.md",
    };
  });
  const rest = all.filter((each) => !used.has(each) && !/^#+ /.test(each.words));
  const slots = SLOTS.map((name, i) => ({
    slot: i + 1,
    name: SLOT_NAMES[name] ?? name,
    tokens: all.filter((each) => each.slot === name).reduce((sum, each) => sum + (each.tokens ?? 0), 0),
  }));
  const order = ["corrections", "recall", "people", "long_term", "recent", "external"];
  return {
    cited: named,
    told: rest
      .filter((each) => !isAlways(each))
      .sort((a, b) => order.indexOf(a.slot) - order.indexOf(b.slot) || b.score - a.score),
    always: rest.filter(isAlways),
    leftOut: reply.receipt.left_out.map((each, i) => ({ ...told(each, i), why: each.why })),
    tokens: slots.reduce((sum, each) => sum + each.tokens, 0),
    slots,
  };
}
