/** A conversation whose prompt is shown, and whose words may come up in it. */
import { audienceOf } from "../../words";

/** `dm`, `room:<id>`, `cron`, `subagent` or `team`; with whom, or who asks there. */
export type View = { where: string; who: string };

export function roomOf(view: View): string {
  return view.where.startsWith("room:") ? view.where.slice(5) : "";
}

export function isYours(view: View, you: string): boolean {
  return view.where === "dm" && (!view.who || view.who === you);
}

/** Whether an audience's words may come up in a view, as far as this page can tell. */
export function maySee(view: View, you: string, audience: string): boolean {
  const { reach } = audienceOf(audience);
  const id = audience.slice(audience.indexOf(":") + 1);
  if (reach === "public") return true;
  if (reach === "room") return roomOf(view) === id || isYours(view, you);
  if (reach === "person") return view.where === "dm" && view.who === id;
  return isYours(view, you);
}
