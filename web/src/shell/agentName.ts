/** The name of an agent as its home gives it; its id until that is read. */
import { useQuery } from "@tanstack/react-query";
import { agents } from "../api/queries";
import { agentName } from "../words";

export function useAgentName(id: string): string {
  const found = useQuery(agents()).data?.agents.find((each) => each.id === id)?.display_name;
  return found && found !== id ? found : agentName(id);
}
