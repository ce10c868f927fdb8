/** Runs that somebody started by hand: start one, see how far it is, stop it. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, read, type Schemas } from "../../api/client";
import { queryClient } from "../../api/queries";
import { store, useStore } from "../../store";

export type Job = Schemas["JobShown"];
const KEY = "oldsoul.runs";
const LOOK_MS = 700;

/** Which keeper each job of this browser tab runs; the server tells only that a keeper runs. */
const startedHere = store<Readonly<Record<string, string>>>(kept());

function kept(): Record<string, string> {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Record<string, string>;
  } catch {
    return {}; // storage is switched off
  }
}

function note(job: string, keeper: string): void {
  startedHere.set({ ...startedHere.get(), [job]: keeper });
  try {
    sessionStorage.setItem(KEY, JSON.stringify(startedHere.get()));
  } catch {
    // storage is switched off or full; it is known until the page is loaded anew
  }
}

export function isOver(job: Job): boolean {
  return job.state !== "queued" && job.state !== "running";
}

/** Start a keeper: `const run = useStart(agent, "memory-miner"); run.mutate()`. */
export function useStart(agent: string, keeper: string) {
  return useMutation({
    mutationFn: () =>
      read(
        api.POST("/api/agents/{name}/keepers/{keeper}/runs", { params: { path: { name: agent, keeper } } }),
      ),
    onSuccess: (job) => {
      note(job.id, keeper);
      void queryClient.invalidateQueries({ queryKey: ["jobs", agent] });
    },
  });
}

export function useStop(job: string) {
  return useMutation({
    mutationFn: () => read(api.POST("/api/jobs/{job}/cancel", { params: { path: { job } } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["jobs"] }),
  });
}

/** The runs by hand, the latest first. Events tell states only, so it is asked again while one runs. */
export function useJobs(agent: string): (Job & { keeper: string })[] {
  const here = useStore(startedHere);
  const query = useQuery({
    queryKey: ["jobs", agent],
    queryFn: () => read(api.GET("/api/jobs", { params: { query: { agent } } })),
    refetchInterval: ({ state }) => (state.data?.jobs.some((job) => !isOver(job)) ? LOOK_MS : false),
  });
  return (query.data?.jobs ?? []).map((job) => ({ ...job, keeper: here[job.id] ?? "" }));
}
