/** Calls to the server: typed by its OpenAPI document, by cookie and key, with problems as errors. */
import createClient, { type Middleware } from "openapi-fetch";
import { store } from "../store";
import { keepKey, keyHeader } from "./key";
import { Problem } from "./problem";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** Whether the login screen lies over the page; what was typed stays below it. */
export const loggedOut = store(false);
/** Whether the server does not answer. */
export const away = store(false);

const withKey: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(keyHeader())) request.headers.set(name, value);
    return request;
  },
};

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
api.use(withKey, asProblems);

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

/** Log in with a token; the browser gets one of its own, half of it in a cookie. */
export async function logIn(token: string): Promise<void> {
  await enter("/api/login", { headers: { Authorization: `Bearer ${token}` } });
}

/** Log in with the code of a login link, which works once. */
export async function logInByLink(code: string): Promise<void> {
  await enter("/api/login/code", {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  });
}

async function enter(path: string, more: RequestInit): Promise<void> {
  const answer = await fetch(path, { method: "POST", credentials: "same-origin", ...more }).catch(() => {
    throw new Problem(0, "away", "The server does not answer.");
  });
  if (!answer.ok) throw await Problem.of(answer);
  keepKey(((await answer.json()) as Schemas["LoggedIn"]).key);
}
