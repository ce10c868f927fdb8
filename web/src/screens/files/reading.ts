/** What the Files screen reads: all files, all daily logs, the history of one file. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, read, type Schemas } from "../../api/client";

const PAGE = 1000;
const CHANGES = 20;

export type Listed = Schemas["FileShown"];
export type Day = Schemas["DailyFile"];

/** Every file, page after page. */
export const allFiles = (agent: string) =>
  queryOptions({
    queryKey: ["files", agent, "all"],
    queryFn: async ({ signal }) => {
      const found: Listed[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        const page: Schemas["FileList"] = await read(
          api.GET("/api/workspace/{agent_name}/files", {
            params: { path: { agent_name: agent }, query: { offset, limit: PAGE } },
            signal,
          }),
        );
        found.push(...page.files);
        offset = page.next;
      }
      return found;
    },
  });

/** Every daily log, the newest first, with the number of its entries. */
export const allDays = (agent: string) =>
  queryOptions({
    queryKey: ["days", agent, "all"],
    queryFn: async ({ signal }) => {
      const found: Day[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        const page: Schemas["DailyFiles"] = await read(
          api.GET("/api/workspace/{agent_name}/memory/daily", {
            params: { path: { agent_name: agent }, query: { offset, limit: PAGE } },
            signal,
          }),
        );
        found.push(...page.files);
        offset = page.next;
      }
      return found;
    },
  });

/** The changes of one file, the newest first. */
export const fileChanges = (name: string, path: string) =>
  infiniteQueryOptions({
    queryKey: ["changes", name, "of", path],
    queryFn: ({ signal, pageParam }) =>
      read(
        api.GET("/api/agents/{name}/changes", {
          params: {
            path: { name },
            query: { path, limit: CHANGES, ...(pageParam ? { cursor: pageParam } : {}) },
          },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
  });

/** A file as it was right after a change. */
export const fileThen = (name: string, number: number, path: string) =>
  queryOptions({
    queryKey: ["changes", name, "file", number, path],
    queryFn: () =>
      read(
        api.GET("/api/agents/{name}/changes/{number}/file", {
          params: { path: { name, number }, query: { path } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY, // what was does not change
  });
