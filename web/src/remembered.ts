/** What a line of memory says to a reader: without dates, tags, links and field names, which only the file needs. */
import { person, plainWords, saidBy } from "./words";

/** Lines of a daily log or a session that say where it comes from, not what happened. */
const FACTS =
  /^\s*(?:[-*]\s+)?(?:\*\*(?:User|Room|Channel|Means|Right value|Wrong value|Wrong):\*\*|\[Session\]\(|(?:Users|Datetime|Event):)/;
const STAMP = /^\s*\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}(?: [A-Z]{2,5})?)?\s*$/;

/** The words of an entry as somebody would say them; a log's time and its link to the session are left out. */
export function wordsOf(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() && !STAMP.test(line) && !FACTS.test(line));
  const said = lines
    .map((line) =>
      line
        .replace(/^\s*[-*]\s+/, "")
        .replace(/^#+\s+/, "")
        .replace(/\*\*Correct:\*\*\s*/, ""),
    )
    .join(" ")
    .replace(/\s*\(\d{4}-\d{2}-\d{2}\/[^)\s]+\.md\)/g, "")
    .replace(/\s*\[progress:[^\]]*\]/g, "")
    .replace(/\bacct:([a-z]+)/g, (_, id: string) => person(id));
  return plainWords(said) || plainWords(text);
}

/** Who said an entry ("" when it was not said in a conversation), and its words without the name. */
export function entryWords(entry: { text: string; title?: string; source?: string | null }): {
  who: string;
  words: string;
} {
  const { who } = saidBy(entry);
  const words = wordsOf(entry.text);
  return who && words.startsWith(`${who}: `)
    ? { who, words: words.slice(who.length + 2) }
    : { who: "", words };
}

/** A line as a prompt has it, `- 2026-03-08: …`, or `- Maren: …` under its day, in its parts. */
export function toldLine(text: string, under = ""): { words: string; when: string } {
  const plain = text.replace(/^\s*-\s+/, "");
  const found = /^(\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?)(?:, |: )([\s\S]*)$/.exec(plain);
  return { words: wordsOf(found?.[2] ?? plain), when: found?.[1] ?? dayOf(under) };
}

/** The day that a heading of a context has, `### 2026-03-08, Sunday`; "" where it has none. */
export function dayOf(under: string): string {
  return /^#+ (\d{4}-\d{2}-\d{2})/.exec(under)?.[1] ?? "";
}

/** The number of a message that something comes from: 85 of `m:85`; 0 when it is none. */
export function messageOf(ref: string): number {
  return /^m:\d+$/.test(ref) ? Number(ref.slice(2)) : 0;
}
