/** What the address says: the agent, and filters and selections, so that every view can be linked to. */
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

export type Search = { [name: string]: string | undefined };

/** Everything behind the `?` is plain text: `?tag=decision&q=oven`. */
export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `?${text}` : "";
}

/** The agent that the page is about. */
export function useAgent(): string {
  return useParams({ strict: false }).agent ?? "";
}

/**
 * A filter or a selection that lives in the address: `const [tag, setTag] = useParam("tag")`. An empty value leaves the
 * address. A selection that "back" should undo is set with `push`.
 */
export function useParam(name: string, otherwise = ""): [string, (value: string, push?: boolean) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const set = useCallback(
    (value: string, push = false) => {
      void navigate({
        to: ".",
        search: ((old: Search) => ({ ...old, [name]: value === otherwise ? undefined : value })) as never,
        replace: !push,
      });
    },
    [navigate, name, otherwise],
  );
  return [search[name] ?? otherwise, set];
}

/** The address of a place of an agent, for `<Link to={place("review")} params={{ agent }}>`. */
export function place(name: string): "/agents/$agent/home" {
  return `/agents/$agent/${name}` as "/agents/$agent/home";
}
