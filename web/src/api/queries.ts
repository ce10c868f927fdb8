/**
 * What is read from the server, each under a key `[kind, agent, …]`. Events invalidate by kind and agent, so a screen that
 * reads by these functions (or with keys of the same kinds) shows what happens without asking again.
 */
import { infiniteQueryOptions, keepPreviousData, QueryClient, queryOptions } from "@tanstack/react-query";
import { api, read, readWithTag } from "./client";
import { Problem } from "./problem";
import type { paths } from "./schema";

type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never;

/** Retried: what may pass (no answer, 5xx). Not retried: what stays wrong (4xx). */
function again(failures: number, error: Error): boolean {
  const { status } = Problem.from(error);
  return (status === 0 || status >= 500) && failures < 2;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: again, staleTime: 30_000, networkMode: "always", refetchOnWindowFocus: false },
    mutations: { retry: false, networkMode: "always" },
  },
});

export const agents = () =>
  queryOptions({ queryKey: ["agents"], queryFn: () => read(api.GET("/api/agents")) });

export const me = () => queryOptions({ queryKey: ["me"], queryFn: () => read(api.GET("/api/me")) });

export const stats = (name: string) =>
  queryOptions({
    queryKey: ["stats", name],
    queryFn: () => read(api.GET("/api/agents/{name}/stats", { params: { path: { name } } })),
  });

export type EntryFilter = Query<"/api/agents/{name}/entries">;
export const entries = (name: string, query: EntryFilter = {}) =>
  queryOptions({
    queryKey: ["entries", name, query],
    queryFn: ({ signal }) =>
      read(api.GET("/api/agents/{name}/entries", { params: { path: { name }, query }, signal })),
    placeholderData: keepPreviousData,
  });

/** All entries page by page, for long lists: `useInfiniteQuery(entryPages(agent, filter))`. */
export const entryPages = (name: string, query: EntryFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ["entries", name, "pages", query],
    queryFn: ({ signal, pageParam }) =>
      read(
        api.GET("/api/agents/{name}/entries", {
          params: { path: { name }, query: { ...query, cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });

export const corrections = (name: string) =>
  queryOptions({
    queryKey: ["corrections", name],
    queryFn: () =>
      read(api.GET("/api/agents/{name}/corrections", { params: { path: { name }, query: { limit: 1000 } } })),
  });

export const conflicts = (name: string) =>
  queryOptions({
    queryKey: ["conflicts", name],
    queryFn: () =>
      read(api.GET("/api/agents/{name}/conflicts", { params: { path: { name }, query: { limit: 1000 } } })),
  });

export type ProposalFilter = Query<"/api/agents/{name}/proposals">;
export const proposals = (name: string, query: ProposalFilter = {}) =>
  queryOptions({
    queryKey: ["proposals", name, query],
    queryFn: () => read(api.GET("/api/agents/{name}/proposals", { params: { path: { name }, query } })),
  });

export const proposal = (name: string, id: string) =>
  queryOptions({
    queryKey: ["proposals", name, "one", id],
    queryFn: () =>
      read(api.GET("/api/agents/{name}/proposals/{proposal}", { params: { path: { name, proposal: id } } })),
  });

export type ChangeFilter = Query<"/api/agents/{name}/changes">;
export const changes = (name: string, query: ChangeFilter = {}) =>
  queryOptions({
    queryKey: ["changes", name, query],
    queryFn: () => read(api.GET("/api/agents/{name}/changes", { params: { path: { name }, query } })),
  });

export const change = (name: string, number: number) =>
  queryOptions({
    queryKey: ["changes", name, "one", number],
    queryFn: () =>
      read(api.GET("/api/agents/{name}/changes/{number}", { params: { path: { name, number } } })),
  });

export const blame = (name: string, path: string) =>
  queryOptions({
    queryKey: ["blame", name, path],
    queryFn: () => read(api.GET("/api/agents/{name}/blame", { params: { path: { name }, query: { path } } })),
  });

export const files = (agent: string) =>
  queryOptions({
    queryKey: ["files", agent],
    queryFn: () =>
      read(
        api.GET("/api/workspace/{agent_name}/files", {
          params: { path: { agent_name: agent } },
        }),
      ),
  });

/** A file with its ETag. */
export const file = (agent: string, filename: string) =>
  queryOptions({
    queryKey: ["file", agent, filename],
    queryFn: () =>
      readWithTag(
        api.GET("/api/workspace/{agent_name}/file/{filename}", {
          params: { path: { agent_name: agent, filename } },
        }),
      ),
  });

export const daily = (agent: string) =>
  queryOptions({
    queryKey: ["days", agent],
    queryFn: () =>
      read(api.GET("/api/workspace/{agent_name}/memory/daily", { params: { path: { agent_name: agent } } })),
  });

export const dayLog = (agent: string, day: string) =>
  queryOptions({
    queryKey: ["days", agent, day],
    queryFn: () =>
      read(
        api.GET("/api/workspace/{agent_name}/memory/daily/{day}", {
          params: { path: { agent_name: agent, day } },
        }),
      ),
  });

export type MessageFilter = Query<"/api/agents/{name}/messages">;
export const messages = (name: string, query: MessageFilter = {}) =>
  queryOptions({
    queryKey: ["messages", name, query],
    queryFn: () => read(api.GET("/api/agents/{name}/messages", { params: { path: { name }, query } })),
  });

export const message = (name: string, number: number) =>
  queryOptions({
    queryKey: ["messages", name, "one", number],
    queryFn: () =>
      read(api.GET("/api/agents/{name}/messages/{number}", { params: { path: { name, number } } })),
  });

export const sessions = (name: string) =>
  queryOptions({
    queryKey: ["sessions", name],
    queryFn: () => read(api.GET("/api/agents/{name}/sessions", { params: { path: { name } } })),
  });

export const skills = (name: string) =>
  queryOptions({
    queryKey: ["skills", name],
    queryFn: () => read(api.GET("/api/agents/{name}/skills", { params: { path: { name } } })),
  });

export const soulVersions = (name: string) =>
  queryOptions({
    queryKey: ["soul", name],
    queryFn: () => read(api.GET("/api/agents/{name}/soul/versions", { params: { path: { name } } })),
  });

export const keepers = (name: string) =>
  queryOptions({
    queryKey: ["keepers", name],
    queryFn: () => read(api.GET("/api/agents/{name}/keepers", { params: { path: { name } } })),
  });

export const keeperRuns = (name: string, keeper: string) =>
  queryOptions({
    queryKey: ["runs", name, keeper],
    queryFn: () =>
      read(api.GET("/api/agents/{name}/keepers/{keeper}/runs", { params: { path: { name, keeper } } })),
  });

export const schedule = (agent: string) =>
  queryOptions({
    queryKey: ["schedule", agent],
    queryFn: () => read(api.GET("/api/schedule", { params: { query: { agent } } })),
  });

export const jobs = (agent: string) =>
  queryOptions({
    queryKey: ["jobs", agent],
    queryFn: () => read(api.GET("/api/jobs", { params: { query: { agent } } })),
  });

export const people = () =>
  queryOptions({ queryKey: ["people"], queryFn: () => read(api.GET("/api/people")) });

export const settings = (query: Query<"/api/settings"> = {}) =>
  queryOptions({
    queryKey: ["settings", "", query],
    queryFn: () => read(api.GET("/api/settings", { params: { query } })),
  });

export const tokens = () =>
  queryOptions({ queryKey: ["tokens"], queryFn: () => read(api.GET("/api/tokens")) });

export const health = () =>
  queryOptions({ queryKey: ["health"], queryFn: () => read(api.GET("/api/health")) });
