/** The places of the dashboard: their names, icons, and the key that goes there after G. */
import type { IconName } from "../parts/Icon";

export type Place = {
  to: string;
  name: string;
  icon: IconName;
  key?: string;
  group: "" | "Knows" | "Is" | "Does";
};

export const PLACES: readonly Place[] = [
  { to: "home", name: "Home", icon: "home", key: "h", group: "" },
  { to: "chat", name: "Chat", icon: "chat", key: "c", group: "" },
  { to: "review", name: "Review", icon: "review", key: "r", group: "" },
  { to: "memory", name: "Memory", icon: "memory", key: "m", group: "Knows" },
  { to: "files", name: "Files", icon: "files", key: "f", group: "Knows" },
  { to: "days", name: "Days", icon: "days", key: "d", group: "Knows" },
  { to: "soul", name: "Soul", icon: "soul", key: "s", group: "Is" },
  { to: "skills", name: "Skills", icon: "skills", group: "Is" },
  { to: "tools", name: "Tools", icon: "tools", group: "Is" },
  { to: "context", name: "Context", icon: "context", key: "x", group: "Does" },
  { to: "keepers", name: "Keepers", icon: "keepers", group: "Does" },
  { to: "doctor", name: "Doctor", icon: "doctor", group: "Does" },
];
export const GROUPS = ["", "Knows", "Is", "Does"] as const;
export const TABS = ["home", "chat", "review", "memory"];
export const SEARCH: Place = { to: "search", name: "Search", icon: "search", group: "Knows" };
