/** What was typed and is not saved, file by file. It outlives the editor: another file, a refusal, a login. */
import { api, type Schemas } from "../../api/client";
import { Problem } from "../../api/problem";
import { file, queryClient } from "../../api/queries";
import { toast, untoast } from "../../parts/Toast";
import { store, useStore } from "../../store";
import { mergeBoth } from "./merge";

/** A file as it stands, with the tag that it is saved with; the tag is empty where there is no file yet. */
export type Standing = Schemas["FileBody"] & { etag: string };

/** The file changed meanwhile: what stands now, and the text that is made of both. */
export type Merging = {
  standing: Standing;
  /** What the server or the page made of both; null where it could not. */
  suggested: string | null;
  text: string;
  /** What the others wrote and the suggestion leaves out, because you changed the same. */
  clashes: readonly string[];
};

export type Draft = {
  agent: string;
  path: string;
  text: string;
  /** What the text was made from. */
  base: Standing;
  saving?: boolean;
  problem?: Problem;
  merging?: Merging;
};

type Saved = { path: string; notes: string[] };

const all = store<ReadonlyMap<string, Draft>>(new Map());
/** The tags of what was saved here, so that it is not taken for news. */
export const savedHere = new Set<string>();
/** What the server said about the last save: what it masked or moved. */
export const lastSaved = store<Saved | null>(null);

const keyOf = (agent: string, path: string) => `${agent}/${path}`;

export function draftOf(agent: string, path: string): Draft | undefined {
  return all.get().get(keyOf(agent, path));
}

export function useDrafts(): ReadonlyMap<string, Draft> {
  return useStore(all);
}

export function unsaved(): Draft[] {
  return [...all.get().values()];
}

export function put(draft: Draft): void {
  all.set(new Map(all.get()).set(keyOf(draft.agent, draft.path), draft));
}

export function drop(agent: string, path: string): void {
  const left = new Map(all.get());
  left.delete(keyOf(agent, path));
  all.set(left);
}

export function dropAll(): void {
  all.set(new Map());
}

/** Something was typed into a text that was made from `base`. */
export function typed(agent: string, path: string, text: string, base: Standing): void {
  const draft = draftOf(agent, path);
  const from = draft?.base ?? base;
  if (text === from.content && from.etag && !draft?.saving) drop(agent, path);
  else put({ ...draft, agent, path, text, base: from });
}

/** Save a draft, or what was merged. What is refused stays, with the reason. */
export async function save(agent: string, path: string): Promise<void> {
  const draft = draftOf(agent, path);
  if (!draft || draft.saving) return;
  const sent = draft.merging?.text ?? draft.text;
  const base = draft.merging?.standing ?? draft.base;
  put({ ...draft, saving: true, problem: undefined });
  untoast();
  try {
    const header = base.etag ? { "if-match": base.etag } : { "if-none-match": "*" };
    const { data, response } = await api.PUT("/api/workspace/{agent_name}/file/{filename}", {
      params: { path: { agent_name: agent, filename: path }, header },
      body: { content: sent },
    });
    if (data) settle(agent, path, sent, { ...data, etag: response.headers.get("etag") ?? "" });
  } catch (error) {
    await refused(agent, path, sent, base, Problem.from(error));
  }
}

type SavedFile = Schemas["SavedFile"] & { etag: string };

/** The file as it stands after it was written here. */
export function tell(agent: string, path: string, made: SavedFile): void {
  savedHere.add(made.etag);
  const { queryKey } = file(agent, path);
  void queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, made);
  // How full it is stands above the editor.
  const notes = made.warnings.filter((each) => !/ has \d+ of at most \d+ bytes /.test(each));
  if (made.masked)
    notes.push(made.masked === 1 ? "a secret in it was masked" : `${made.masked} secrets in it were masked`);
  lastSaved.set(notes.length ? { path, notes } : null);
}

function settle(agent: string, path: string, sent: string, made: SavedFile): void {
  tell(agent, path, made);
  const now = draftOf(agent, path);
  if (!now) return;
  const text = now.merging?.text ?? now.text;
  // Somebody goes on typing while it is saved: that stays a draft, made from what stands now.
  if (text === sent) drop(agent, path);
  else put({ agent, path, text: mergeBoth(sent, text, made.content) ?? text, base: made });
  const { change } = made;
  toast(
    "Saved.",
    change === null ? undefined : () => void undo(agent, change).catch((error) => broken(path, error)),
  );
}

async function refused(
  agent: string,
  path: string,
  sent: string,
  base: Standing,
  problem: Problem,
): Promise<void> {
  const now = draftOf(agent, path);
  if (!now) return;
  const left: Draft = { ...now, saving: false };
  if (problem.status !== 409) {
    // Where a login is needed, the login screen says so.
    put({ ...left, problem: problem.status === 401 ? undefined : problem });
    return;
  }
  if (!problem.more.standing) {
    // The file is gone; saving again makes it anew.
    put({ ...left, problem, merging: undefined, text: sent, base: { ...base, content: "", etag: "" } });
    return;
  }
  try {
    const standing = await queryClient.fetchQuery({ ...file(agent, path), staleTime: 0 });
    put({ ...left, text: now.text, merging: mergingOf(sent, base, standing, problem) });
  } catch (error) {
    put({ ...left, problem: Problem.from(error) });
  }
}

function mergingOf(mine: string, base: Standing, standing: Standing, problem?: Problem): Merging {
  const told = problem?.more.standing as { content?: string } | undefined;
  const given = problem?.more.suggestion as { content: string; clashes: string[] } | null | undefined;
  const fits = given && told?.content === standing.content;
  const suggested = fits ? given.content : mergeBoth(base.content, mine, standing.content);
  return { standing, suggested, text: suggested ?? mine, clashes: fits ? given.clashes : [] };
}

/** Put both side by side before anything is saved: what was written meanwhile clashes with what is typed. */
export function mergeNow(draft: Draft, standing: Standing): void {
  put({ ...draft, problem: undefined, merging: mergingOf(draft.text, draft.base, standing) });
}

/** Reverse one change; returns the change that does it. */
export async function undo(agent: string, number: number): Promise<Schemas["Undone"]> {
  const { data } = await api.POST("/api/agents/{name}/changes/{number}/undo", {
    params: { path: { name: agent, number } },
    body: {},
  });
  return data as Schemas["Undone"];
}

/** A deed of a toast that did not work: said in place, since the toast is gone. */
export const wentWrong = store<{ path: string; problem: Problem } | null>(null);

export function broken(path: string, error: unknown): void {
  wentWrong.set({ path, problem: Problem.from(error) });
}
