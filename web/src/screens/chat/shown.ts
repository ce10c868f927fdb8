/** The conversations of an agent: which one is shown, who is in it, and whether the person writes in it. */
import { infiniteQueryOptions, queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useParam } from "../../address";
import { api, read, type Schemas } from "../../api/client";
import { me, message, sessions } from "../../api/queries";
import { isoDay, person } from "../../words";
import { newKey } from "./talk";

export type Session = Schemas["SessionShown"];
const PAGE = 100;

export const session = (name: string, id: string) =>
  queryOptions({
    queryKey: ["sessions", name, "one", id],
    queryFn: () =>
      read(api.GET("/api/agents/{name}/sessions/{session}", { params: { path: { name, session: id } } })),
  });

/** The messages of a conversation, the newest first, page by page. */
export const messagePages = (name: string, id: string) =>
  infiniteQueryOptions({
    queryKey: ["messages", name, "session", id],
    queryFn: ({ pageParam, signal }) =>
      read(
        api.GET("/api/agents/{name}/sessions/{session}/messages", {
          params: { path: { name, session: id }, query: { limit: PAGE, cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
  });

/** The conversation where corrections are logged; nobody replies there. */
const CORRECTIONS = "corrections";

export function isOwn(of: Session, person: string | null | undefined): boolean {
  return of.kind === "dm" && of.with === (person ?? "") && of.session !== CORRECTIONS;
}

export function audienceOfSession(of: Session, person: string | null | undefined): string {
  if (of.kind !== "dm") return `room:${of.with}`;
  return !of.with || of.with === person ? "owner" : `person:${of.with}`;
}

/** Whom or where a conversation is with, in a word. */
export function nameOfSession(of: Session, self: string | null | undefined): string {
  if (of.session === CORRECTIONS) return "What you put right";
  if (of.kind !== "dm") return of.with;
  return !of.with || of.with === self ? "You" : person(of.with);
}

export type Shown = {
  /** The id of the conversation; a new one has none of the server yet. */
  id: string;
  /** Nothing where it is new. */
  session?: Session;
  isReady: boolean;
  error: unknown;
};

function freshId(): string {
  const now = new Date();
  const two = (n: number) => String(n).padStart(2, "0");
  return `web-${isoDay(now)}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}-${newKey().slice(0, 4)}`;
}

/** The conversation that the address means: by its id, by a message in it, a new one, or the one that goes on. */
export function useShown(agent: string): Shown {
  const [asked] = useParam("session");
  const [marked] = useParam("message");
  const navigate = useNavigate();
  const [fresh, setFresh] = useState(freshId);
  const [was, setWas] = useState(asked);
  if (asked !== was) {
    setWas(asked);
    if (asked === "new") setFresh(freshId());
  }
  const self = useQuery(me());
  const list = useQuery(sessions(agent));
  const number = Number(marked);
  const one = useQuery({ ...message(agent, number), enabled: number > 0 && !asked });
  const going = list.data?.sessions.find((each) => isOwn(each, self.data?.person) && !each.ended);
  const named =
    asked === "new" ? "" : asked || (number > 0 ? (one.data?.session ?? "") : (going?.session ?? ""));
  const known = list.data?.sessions.find((each) => each.session === (named || fresh));
  // A new conversation has an address of its own as soon as something is said in it.
  const isBegun = asked === "new" && known !== undefined;
  useEffect(() => {
    if (isBegun) void navigate({ to: ".", search: { session: fresh } as never, replace: true });
  }, [isBegun, fresh, navigate]);
  const other = useQuery({ ...session(agent, named), enabled: Boolean(named) && !!list.data && !known });
  const isReady =
    list.data !== undefined &&
    self.data !== undefined &&
    (!named || known !== undefined || other.isSuccess) &&
    (asked !== "" || number <= 0 || Number.isNaN(number) || one.isSuccess);
  return {
    id: named || fresh,
    session: known ?? other.data,
    isReady,
    error: list.error ?? self.error ?? one.error ?? other.error,
  };
}
