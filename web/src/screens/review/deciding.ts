/** Decisions, as the server takes them. What has changed since it was shown is not approved; it is asked again. */
import { queryOptions } from "@tanstack/react-query";
import { api, read, type Schemas } from "../../api/client";
import { Problem } from "../../api/problem";
import { proposal, proposals, queryClient } from "../../api/queries";
import { toast } from "../../parts/Toast";
import { counted } from "../../words";
import type { Row } from "./rows";

export type Whole = Schemas["ProposalWhole"];
/** What came of an approval: done, or what stands now instead of what was shown. */
export type Approval = { done: Schemas["Decided"] } | { now: Whole };

export const decidedConflicts = (name: string) =>
  queryOptions({
    queryKey: ["conflicts", name, "settled"],
    queryFn: () =>
      read(
        api.GET("/api/agents/{name}/conflicts", {
          params: { path: { name }, query: { state: "settled", limit: 1000 } },
        }),
      ),
  });

/** Whether approval would still do exactly what was shown. */
export function isSame(a: Whole, b: Whole): boolean {
  return a.diff === b.diff && a.problem === b.problem && a.state === b.state;
}

const basesOf = (shown: Whole) => Object.fromEntries(shown.previews.map((each) => [each.path, each.version]));

async function post(agent: string, shown: Whole, edited?: Record<string, string>) {
  return read(
    api.POST("/api/agents/{name}/proposals/{proposal}/approve", {
      params: { path: { name: agent, proposal: shown.id } },
      body: { bases: basesOf(shown), edited },
    }),
  );
}

/** Approve what was shown, or edited texts. */
export async function approve(
  agent: string,
  shown: Whole,
  edited?: Record<string, string>,
): Promise<Approval> {
  try {
    return { done: await post(agent, shown, edited) };
  } catch (error) {
    if (Problem.from(error).status !== 409) throw error;
  }
  const now = await queryClient.fetchQuery({ ...proposal(agent, shown.id), staleTime: 0 });
  // The server asks again too where the file changed before the page was opened; that was shown already.
  const unseen = JSON.stringify(basesOf(now)) !== JSON.stringify(basesOf(shown));
  if (!isSame(now, shown) || (edited && unseen)) return { now };
  return { done: await post(agent, now, edited) };
}

export async function reject(agent: string, id: string, why: string): Promise<void> {
  await read(
    api.POST("/api/agents/{name}/proposals/{proposal}/reject", {
      params: { path: { name: agent, proposal: id } },
      body: { why },
    }),
  );
}

export function settle(agent: string, conflict: string, keep: string): Promise<Schemas["ChangeShown"]> {
  return read(
    api.POST("/api/agents/{name}/conflicts/{conflict}/settle", {
      params: { path: { name: agent, conflict } },
      body: { keep },
    }),
  );
}

export async function takeBack(agent: string, changes: readonly number[]): Promise<void> {
  // The newest first: each then finds the files as it left them.
  for (const number of changes.toSorted((a, b) => b - a))
    await read(
      api.POST("/api/agents/{name}/changes/{number}/undo", {
        params: { path: { name: agent, number } },
        body: {},
      }),
    );
  toast(changes.length === 1 ? "Taken back." : `${counted(changes.length, "change")} taken back.`);
}

/** Read again what a decision concerns; events do so too, but may come later. */
export function decided(agent: string): void {
  for (const kind of ["proposals", "conflicts", "changes"])
    void queryClient.invalidateQueries({ queryKey: [kind, agent] });
}

export type Bulk = {
  deed: "approved" | "rejected";
  done: string[];
  changes: number[];
  failed: { row: Row; why: string }[];
};

/** Decide on several, one after the other; what cannot be done is told and stays. */
export async function decideAll(
  agent: string,
  rows: readonly Row[],
  deed: Bulk["deed"],
  why = "",
): Promise<Bulk> {
  const result: Bulk = { deed, done: [], changes: [], failed: [] };
  for (const row of rows) {
    if (row.conflict) {
      result.failed.push({ row, why: "It is a conflict: open it and say what is kept." });
      continue;
    }
    try {
      if (deed === "rejected") await reject(agent, row.id, why);
      else {
        const shown = await queryClient.fetchQuery({ ...proposal(agent, row.id), staleTime: 0 });
        if (shown.problem) throw new Problem(409, "conflict", shown.problem);
        // Without bases the server itself holds it against what was proposed.
        const done = await read(
          api.POST("/api/agents/{name}/proposals/{proposal}/approve", {
            params: { path: { name: agent, proposal: row.id } },
            body: { bases: {} },
          }),
        );
        if (done.change) result.changes.push(done.change);
      }
      result.done.push(row.id);
    } catch (error) {
      result.failed.push({ row, why: Problem.from(error).detail });
    }
  }
  return result;
}

export const allProposals = (agent: string) => proposals(agent, { state: "", limit: 1000 });
