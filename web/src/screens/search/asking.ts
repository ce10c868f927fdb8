/** What is searched for and what it is restricted to, as it stands in the address, and what search answers. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { useMemo } from "react";
import { useParam } from "../../address";
import { api, read, type Schemas } from "../../api/client";

export type Hit = Schemas["HitShown"];
export type Answer = Schemas["RecalledShown"]["answer"];
type Given = Schemas["SearchGiven"];
export const SOURCES = [
  { value: "", label: "Memory and conversations" },
  { value: "memory", label: "Memory" },
  { value: "sessions", label: "Conversations" },
  { value: "extra", label: "Other folders" },
] as const;
export const TAGS = ["event", "knowledge", "skill", "decision", "correction"] as const;
export const TIMES = [
  { value: "", label: "Any time" },
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "365", label: "Last year" },
];
const DAY_MS = 86_400_000;
const MOST = 20;

/** The question and the filters of the address. */
export function useAsked() {
  const [query, setQuery] = useParam("q");
  const [source, setSource] = useParam("source");
  const [tag, setTag] = useParam("tag");
  const [person, setPerson] = useParam("person");
  const [room, setRoom] = useParam("room");
  const [last, setLast] = useParam("last");
  const [eyes, setEyes] = useParam("as");
  const given = useMemo<Given>(() => {
    const known = SOURCES.find((each) => each.value && each.value === source)?.value;
    const days = Number(last);
    return {
      query,
      session: sessionOf(eyes),
      sources: known ? [known] : [],
      tag: TAGS.find((each) => each === tag) ?? null,
      person: person || null,
      room,
      since:
        days > 0 ? new Date(Math.floor(Date.now() / 60_000) * 60_000 - days * DAY_MS).toISOString() : null,
      limit: MOST,
      path: "",
      explain: true,
    };
  }, [query, source, tag, person, room, last, eyes]);
  return {
    given,
    query,
    setQuery,
    source,
    setSource,
    tag,
    setTag,
    person,
    setPerson,
    room,
    setRoom,
    last,
    setLast,
    eyes,
    setEyes,
  };
}

export type Asked = ReturnType<typeof useAsked>;

/** Who searches: "" is you, else `acct:…` in private or `room:…`. */
function sessionOf(eyes: string): Given["session"] {
  if (eyes.startsWith("room:")) return { kind: "group", id: "", room: eyes.slice(5), subject: null };
  return { kind: eyes ? "dm" : null, id: "", room: "", subject: eyes || null };
}

export const found = (name: string, given: Given) =>
  queryOptions({
    queryKey: ["search", name, given],
    queryFn: ({ signal }) =>
      read(api.POST("/api/agents/{name}/search", { params: { path: { name } }, body: given, signal })),
    enabled: given.query !== "",
    placeholderData: keepPreviousData,
  });

/** Recall's answer in words. */
export const ANSWERS: Record<Answer, { word: string; means: string }> = {
  found: {
    word: "Found",
    means: "The match is far stronger than for anything this memory does not contain.",
  },
  unsure: { word: "Unsure", means: "Something is close. Read it before you rely on it." },
  unknown: { word: "Unknown", means: "Nothing here answers this. These are the closest." },
  conflicting: { word: "Conflicting", means: "What answers this best contradicts another." },
  "": { word: "Searched", means: "" },
};

const PARTS: Record<string, string> = {
  vectors: "the same meaning",
  read: "the whole text means the same",
  words: "the same words",
  late: "meaning, word by word",
  coverage: "covers much of the question",
  pairs: "words that stand together",
  members: "belongs to what is asked about",
  identifier: "the very number or code",
  document: "its file or conversation is about this",
  speaker: "said by the one who is named",
  asker: "said by the one who asks",
  time: "tells a time, as asked",
  date: "of the time that is named",
  name: "has a name, as asked",
  number: "has a number, as asked",
  money: "has a sum of money, as asked",
  likes: "says what somebody likes",
  changes: "says that something changed",
  length: "how much it says",
  asks: "ends in a question",
  agent: "said by the agent itself",
  derived: "retells a conversation",
  archived: "from the archive",
  confidence: "how sure memory is",
  correction: "puts something right",
  age: "how new it is",
  echo: "only asks the same thing",
};

export type Part = { name: string; words: string; value: number };

/** What a score is made of, in words, the largest first; what hardly counts is left out. */
export function partsOf(why: Record<string, number> | null | undefined): Part[] {
  return Object.entries(why ?? {})
    .filter(([, value]) => Math.abs(value) >= 0.01)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([name, value]) => ({ name, words: PARTS[name] ?? name, value }));
}

/** The two or three things that count most, as a sentence. */
export function because(parts: readonly Part[]): string {
  const most = parts.filter((part) => part.value > 0).slice(0, 3);
  return most.map((part) => part.words).join(", ");
}
