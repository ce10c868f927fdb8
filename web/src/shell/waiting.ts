/** What waits for the person: proposals and conflicts, and how many of them there are. */
import { useQuery } from "@tanstack/react-query";
import { conflicts, proposals } from "../api/queries";

export function useWaiting(agent: string) {
  const asked = useQuery({ ...proposals(agent, { state: "open", limit: 1000 }), enabled: Boolean(agent) });
  const found = useQuery({ ...conflicts(agent), enabled: Boolean(agent) });
  const open = (found.data?.conflicts ?? []).filter((each) => each.state === "open");
  // The proposal to keep the newer side of a conflict is the same decision: it counts once.
  const same = new Set(open.map((each) => each.proposal));
  const others = (asked.data?.proposals ?? []).filter((each) => !same.has(each.id));
  return {
    proposals: others,
    conflicts: open,
    count: others.length + open.length,
    isReady: asked.data !== undefined && found.data !== undefined,
    error: asked.error ?? found.error,
  };
}
