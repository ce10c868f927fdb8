/** Calls to the server: typed by its OpenAPI document, by cookie, with problems as errors. */
import createClient, { type Middleware } from "openapi-fetch";
import { store } from "../store";
import { Problem } from "./problem";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** Whether the login screen lies over the page; what was typed stays below it. */
export const loggedOut = store(false);
/** Whether the server does not answer. */
export const away = store(false);

const asProblems: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return;
    const problem = await Problem.of(response);
    if (problem.status === 401) loggedOut.set(true);
    throw problem;
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === "AbortError") return error;
    return new Problem(0, "away", "The server does not answer.");
  },
};

export const api = createClient<paths>({ baseUrl: window.location.origin, credentials: "same-origin" });
api.use(asProblems);

/** The answer's data: `await read(api.GET("/api/agents"))`. It throws a `Problem`. */
export async function read<T>(call: Promise<{ data?: T; response: Response }>): Promise<T> {
  return (await call).data as T;
}

/** The answer's data and its ETag, for what is saved with `If-Match`. */
export async function readWithTag<T>(
  call: Promise<{ data?: T; response: Response }>,
): Promise<T & { etag: string }> {
  const { data, response } = await call;
  return { ...(data as T), etag: response.headers.get("etag") ?? "" };
}

/** Log in with a token; the browser gets a cookie of its own. */
export async function logIn(token: string): Promise<void> {
  const answer = await fetch("/api/login", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    credentials: "same-origin",
  }).catch(() => {
    throw new Problem(0, "away", "The server does not answer.");
  });
  if (!answer.ok) throw await Problem.of(answer);
}
