/** What Days reads from the server. */
import { queryOptions } from "@tanstack/react-query";
import { api, read } from "../../api/client";

/** What was counted on each day of a year; quiet days are left out. */
export const dayCounts = (name: string, since: string, until: string) =>
  queryOptions({
    queryKey: ["days", name, "counts", since, until],
    queryFn: () =>
      read(api.GET("/api/agents/{name}/days", { params: { path: { name }, query: { since, until } } })),
  });

export const wholeDayOf = (name: string, day: string) =>
  queryOptions({
    queryKey: ["days", name, "one", day],
    queryFn: () => read(api.GET("/api/agents/{name}/days/{day}", { params: { path: { name, day } } })),
  });
