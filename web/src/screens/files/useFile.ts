/** One file as it is edited: what stands on the disk, what is typed, and what others wrote meanwhile. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { Problem } from "../../api/problem";
import { file } from "../../api/queries";
import { changedLines } from "../../diff";
import { author } from "../../words";
import { draftOf, mergeNow, put, type Standing, savedHere, typed, useDrafts } from "./drafts";
import { mergeBoth, movedLines, whatWasDone } from "./merge";
import { fileChanges } from "./reading";

/** Lines that others wrote while the file was open: their numbers in `text`. */
type Theirs = { lines: number[]; text: string };

const NOBODY: Theirs = { lines: [], text: "" };

export function useFile(agent: string, path: string) {
  const query = useQuery({ ...file(agent, path), enabled: path !== "" });
  const draft = useDrafts().get(`${agent}/${path}`);
  const standing = query.data?.filename === path ? query.data : undefined;
  const base = draft?.base ?? standing;
  const text = draft?.text ?? standing?.content ?? "";
  const [theirs, setTheirs] = useState<Theirs>(NOBODY);
  const shown = useRef<Standing | undefined>(undefined);

  // Nothing is typed: the editor takes over what was written, and marks it.
  useEffect(() => {
    const before = shown.current;
    if (!standing || draftOf(agent, path)) return;
    shown.current = standing;
    if (!before || before.filename !== path) setTheirs(NOBODY);
    else if (before.etag !== standing.etag)
      setTheirs(
        savedHere.has(standing.etag)
          ? NOBODY
          : { lines: changedLines(before.content, standing.content), text: standing.content },
      );
  }, [agent, path, standing]);

  const isNews = Boolean(
    draft && standing && !draft.saving && draft.base.etag && standing.etag !== draft.base.etag,
  );
  const news = useNews(agent, path, isNews ? draft?.base : undefined, standing);

  /** Bring what was written meanwhile into the text; where it clashes, put both side by side. */
  const takeNews = (): number | undefined => {
    if (!draft || !standing) return undefined;
    const both = mergeBoth(draft.base.content, draft.text, standing.content);
    if (both === null) {
      mergeNow(draft, standing);
      return undefined;
    }
    const lines = changedLines(draft.base.content, standing.content);
    setTheirs({ lines, text: standing.content });
    put({ ...draft, text: both, base: standing });
    shown.current = standing;
    return movedLines(standing.content, both, lines)[0];
  };

  const size = useMemo(
    () => (draft ? new TextEncoder().encode(text).length : (standing?.size_bytes ?? 0)),
    [draft, text, standing],
  );
  const marked = useMemo(() => movedLines(theirs.text, text, theirs.lines), [theirs, text]);

  return {
    query,
    draft,
    standing,
    base,
    text,
    /** Of the text as it is typed, in bytes. */
    size,
    exists: !(query.isError && Problem.from(query.error).status === 404),
    theirs: marked,
    news,
    takeNews,
    type: (next: string) => base && typed(agent, path, next, base),
  };
}

export type Opened = ReturnType<typeof useFile>;

/** What others did since a version: "memory-miner added line 19". Empty while there is none. */
function useNews(agent: string, path: string, base: Standing | undefined, standing: Standing | undefined) {
  const changes = useInfiniteQuery({ ...fileChanges(agent, path), enabled: base !== undefined });
  if (!base || !standing) return "";
  const who = new Set<string>();
  for (const each of changes.data?.pages.flatMap((page) => page.changes) ?? []) {
    const effect = each.files.find((one) => one.path === path);
    if (effect?.after === base.version) break;
    who.add(author(each.author));
  }
  const names = [...who].map((name) =>
    name === "You" ? "You, elsewhere," : name === "On disk" ? "Somebody on disk" : name,
  );
  return `${names.length ? names.join(" and ") : "Somebody"} ${whatWasDone(base.content, standing.content)}`;
}
