/** The conversations whose prompts are compared: a private chat, a room with who asks, or a run without anybody. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, read, type Schemas } from "../../api/client";
import { me, people } from "../../api/queries";
import type { IconName } from "../../parts/Icon";
import { person } from "../../words";
import { isYours, roomOf, type View } from "./seeing";

type Session = Schemas["SessionGiven"];
export type Prompt = Schemas["PromptShown"];

export const ALONE = [
  { value: "cron", label: "Scheduled run" },
  { value: "subagent", label: "Subagent" },
  { value: "team", label: "Team" },
];

export function sessionOf(view: View): Session {
  const room = roomOf(view);
  const subject = view.who || null;
  if (room) return { kind: "group", id: "", room, subject };
  if (view.where === "cron" || view.where === "subagent" || view.where === "team")
    return { kind: view.where, id: "", room: "", subject: null };
  return { kind: "dm", id: "", room: "", subject };
}

/** The people and rooms that can be chosen, and who you are. */
export function useWhere(agent: string) {
  const self = useQuery(me());
  const known = useQuery(people());
  const rooms = useQuery({
    queryKey: ["sessions", agent, "rooms"],
    queryFn: () => read(api.GET("/api/agents/{name}/rooms", { params: { path: { name: agent } } })),
  });
  const you = self.data?.person ?? "";
  const others = (known.data?.people ?? []).filter((each) => !each.operator && each.id !== you);
  // The one who is remembered most is the likeliest to ask.
  others.sort((a, b) => b.memories - a.memories || a.id.localeCompare(b.id));
  return {
    you,
    others: others.map((each) => each.id),
    rooms: (rooms.data?.rooms ?? []).map((each) => each.room),
    ready: self.isFetched && known.isFetched && rooms.isFetched,
  };
}

export type Where = ReturnType<typeof useWhere>;

/** What the second view is until somebody chooses: the first room, asked by somebody else. */
export function otherView(where: Where): View {
  const somebody = where.others[0] ?? "";
  if (where.rooms[0]) return { where: `room:${where.rooms[0]}`, who: somebody };
  return somebody ? { where: "dm", who: somebody } : { where: "cron", who: "" };
}

export function iconOf(view: View, you: string): IconName {
  if (roomOf(view)) return "room";
  return view.where !== "dm" ? "keepers" : isYours(view, you) ? "lock" : "person";
}

/** A view in words: "the private chat with you", "bakery-team, Tomas asks". */
export function nameOf(view: View, you: string): string {
  const room = roomOf(view);
  const self = !view.who || view.who === you;
  if (room) return `${room}, ${self ? "you ask" : `${person(view.who)} asks`}`;
  const alone = ALONE.find((each) => each.value === view.where);
  return alone?.label ?? `Private chat with ${self ? "you" : person(view.who)}`;
}

/** The prompt of a view, in the middle of a sentence: "the prompt of bakery-team". */
export function shortName(view: View, you: string): string {
  const room = roomOf(view);
  if (room) return `the prompt of ${room}`;
  if (isYours(view, you)) return "your prompt";
  return view.where === "dm" ? `the prompt for ${person(view.who)}` : "the prompt of that run";
}

/** The prompt that a view gets for a message. */
export const promptOf = (agent: string, view: View, message: string) =>
  queryOptions({
    queryKey: ["context", agent, view, message],
    queryFn: ({ signal }) =>
      read(
        api.POST("/api/agents/{name}/prompt", {
          params: { path: { name: agent } },
          body: { message, session: sessionOf(view) },
          signal,
        }),
      ),
  });
