/** What waits for the person: proposals and conflicts, and how many of them there are. */
import { useQuery } from "@tanstack/react-query";
import { conflicts, proposals } from "../api/queries";

export function useWaiting(agent: string) {
  const asked = useQuery({ ...proposals(agent, { state: "open", limit: 1000 }), enabled: Boolean(agent) });
  const disagree = useQuery({ ...conflicts(agent), enabled: Boolean(agent) });
  const open = (disagree.data?.entries ?? []).filter((each) => !each.superseded);
  return {
    proposals: asked.data?.proposals ?? [],
    conflicts: open,
    count: (asked.data?.proposals.length ?? 0) + open.length,
    isReady: asked.data !== undefined && disagree.data !== undefined,
    error: asked.error ?? disagree.error,
  };
}
