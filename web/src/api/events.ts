/** One stream of events for the whole page: what happens makes stale what it concerns. */
import { away, loggedOut } from "./client";
import { keyHeader } from "./key";
import { queryClient } from "./queries";
import { sent } from "./stream";

/** The kinds of queries that each kind of event concerns. */
const CONCERNS: Record<string, readonly string[]> = {
  change: [
    "files",
    "file",
    "entries",
    "changes",
    "blame",
    "soul",
    "days",
    "conflicts",
    "corrections",
    "context",
    "search",
    "skills",
    "stats",
    "people",
  ],
  proposal: ["proposals", "context", "conflicts", "stats"],
  message: ["messages", "sessions", "days", "stats", "people"],
  job: ["jobs", "runs", "schedule", "keepers"],
  settings: ["settings", "schedule", "agents", "skills", "health", "context", "tokens"],
};
const TOGETHER_MS = 150;
const SHOWN_AFTER_MS = 1_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export type Happened = { kind: string; agent: string; id: string; state: string; time: string };
const listeners = new Set<(event: Happened) => void>();

/** Hear of each event, for what must not wait (progress, news while somebody types). Returns how to stop. */
export function onEvent(listener: (event: Happened) => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

let following: AbortController | undefined;
let cursor = "";
let wait = FIRST_WAIT_MS;
let trying: number | undefined;
let showing: number | undefined;
let gathering: number | undefined;
const stale = new Map<string, Happened>();

/** Begin to listen; called once, and again after a login. */
export function listen(): void {
  window.clearTimeout(trying);
  following?.abort();
  following = new AbortController();
  void follow(following.signal);
}

/** Read the stream until it ends; then, after a while, listen again. */
async function follow(signal: AbortSignal): Promise<void> {
  try {
    const path = `/api/events${cursor ? `?after=${encodeURIComponent(cursor)}` : ""}`;
    const answer = await fetch(path, { signal, credentials: "same-origin", headers: keyHeader() });
    if (answer.status === 401) {
      back();
      loggedOut.set(true);
      return; // the login listens again
    }
    if (answer.status === 410) readAgain();
    if (answer.ok && answer.body) {
      back();
      for await (const event of sent(answer.body)) {
        if (event.id) cursor = event.id;
        if (event.kind === "gone") readAgain();
        else if (event.kind in CONCERNS) tell(event.data as Happened);
      }
    }
  } catch {
    // it does not answer, or the connection was lost
  }
  if (signal.aborted) return;
  if (showing === undefined) showing = window.setTimeout(() => away.set(true), SHOWN_AFTER_MS);
  trying = window.setTimeout(listen, wait);
  wait = Math.min(wait * 2, LONGEST_WAIT_MS);
}

function back(): void {
  window.clearTimeout(showing);
  showing = undefined;
  wait = FIRST_WAIT_MS;
  if (!away.get()) return;
  away.set(false);
  void queryClient.refetchQueries({ predicate: (query) => query.state.status === "error" });
}

/** Some events are no longer kept: everything is read again. */
function readAgain(): void {
  cursor = "";
  void queryClient.invalidateQueries();
}

function tell(event: Happened): void {
  for (const listener of [...listeners]) listener(event);
  stale.set(`${event.kind} ${event.agent}`, event);
  if (gathering !== undefined) return;
  gathering = window.setTimeout(() => {
    gathering = undefined;
    const all = [...stale.values()];
    stale.clear();
    for (const each of all) {
      for (const kind of CONCERNS[each.kind] ?? []) {
        void queryClient.invalidateQueries({
          predicate: ({ queryKey: [of, agent] }) =>
            of === kind && (!agent || !each.agent || agent === each.agent || typeof agent !== "string"),
        });
      }
    }
  }, TOGETHER_MS);
}
