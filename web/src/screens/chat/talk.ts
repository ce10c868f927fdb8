/**
 * What is being said: one message at a time in each conversation, and its reply while it comes. It lives outside the screen, so
 * that a look at another screen neither ends a reply nor loses what was typed.
 */
import { loggedOut, type Schemas } from "../../api/client";
import { keyHeader } from "../../api/key";
import { Problem } from "../../api/problem";
import { queryClient } from "../../api/queries";
import { sent } from "../../api/stream";
import { type Store, store } from "../../store";
import type { Reply } from "./cited";

/** The conversation a message belongs to; a new one also says whom it is with. */
export type TalkSession = Partial<Schemas["SessionGiven"]> & { id: string };

export type Saying = {
  agent: string;
  session: TalkSession;
  /** The same for every attempt: the server logs the message once, and gives a reply that it has already made. */
  key: string;
  text: string;
  at: string;
  /** What came of the reply so far. */
  said: string;
  /** `refused`: nothing was logged. `lost`: the message may be logged; the reply did not come whole. */
  state: "sending" | "answering" | "refused" | "lost" | "stopped" | "done";
  error?: Problem;
};

export const saying = store<ReadonlyMap<string, Saying>>(new Map());
export const drafts = store<ReadonlyMap<string, string>>(new Map());
/** Receipts by the number of the reply. The server does not keep them: they are there as long as the page is. */
export const receipts = store<ReadonlyMap<string, Reply>>(new Map());
const stops = new Map<string, AbortController>();

export const placeOfTalk = (agent: string, session: string) => `${agent} ${session}`;

function put<T>(into: Store<ReadonlyMap<string, T>>, key: string, value: T | undefined): void {
  const next = new Map(into.get());
  if (value === undefined) next.delete(key);
  else next.set(key, value);
  into.set(next);
}

export function setDraft(where: string, text: string): void {
  put(drafts, where, text || undefined);
}

export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (n) => n.toString(16).padStart(2, "0")).join(
    "",
  );
}

/** The reply is in the log: the page shows it from there. */
export function forgetSaying(where: string): void {
  put(saying, where, undefined);
}

export function stop(where: string): void {
  stops.get(where)?.abort();
}

/** Send a message and read its reply; everything that happens is in `saying`. */
export async function send(agent: string, session: TalkSession, text: string, key = newKey()): Promise<void> {
  const where = placeOfTalk(agent, session.id);
  const stopping = new AbortController();
  stops.set(where, stopping);
  let now: Saying = {
    agent,
    session,
    key,
    text,
    at: new Date().toISOString(),
    said: "",
    state: "sending",
  };
  const tell = (more: Partial<Saying>) => {
    now = { ...now, ...more };
    put(saying, where, now);
  };
  tell({});
  try {
    const answer = await fetch(`/api/agents/${encodeURIComponent(agent)}/chat/stream`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...keyHeader() },
      body: JSON.stringify({ text, session, key, channel: "web" }),
      credentials: "same-origin",
      signal: stopping.signal,
    });
    if (!answer.ok || !answer.body) {
      const problem = await Problem.of(answer);
      if (problem.status === 401) loggedOut.set(true);
      tell({ state: "refused", error: problem });
      return;
    }
    // The message is logged now: what was typed is safe.
    if (drafts.get().get(where) === text) setDraft(where, "");
    tell({ state: "answering" });
    for await (const event of sent(answer.body)) {
      if (event.kind === "words") tell({ said: now.said + String((event.data as { text: string }).text) });
      if (event.kind === "problem") {
        const told = event.data as { status?: number; code?: string; detail?: string };
        tell({
          state: "lost",
          error: new Problem(told.status ?? 500, told.code ?? "", told.detail ?? ""),
        });
      }
      if (event.kind === "reply") {
        const reply = event.data as Reply;
        if (reply.reply !== null) put(receipts, `${agent} ${reply.reply}`, reply);
        tell({ state: "done", said: reply.text });
      }
    }
    if (now.state === "answering") tell({ state: "lost", error: cutOff() });
  } catch {
    if (stopping.signal.aborted && now.state === "sending")
      forgetSaying(where); // what was typed still stands where it was typed
    else if (stopping.signal.aborted) tell({ state: "stopped" });
    else if (now.state === "sending")
      tell({ state: "refused", error: new Problem(0, "away", "The server does not answer.") });
    else tell({ state: "lost", error: cutOff() });
  } finally {
    stops.delete(where);
    await queryClient.invalidateQueries({ queryKey: ["messages", agent] });
    void queryClient.invalidateQueries({ queryKey: ["sessions", agent] });
  }
}

const cutOff = () => new Problem(0, "cut", "The connection was lost before the reply had ended.");
