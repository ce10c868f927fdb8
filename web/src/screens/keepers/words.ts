/** What came of runs, and what they cost, as Keepers says it. */
import type { Schemas } from "../../api/client";
import { counted, moment, number } from "../../words";
import type { Job } from "./running";

export type Line = Schemas["ScheduledShown"];
export type Run = Schemas["PastRun"];

/** When a keeper without a schedule runs. */
const OF_ITS_OWN: Record<string, string> = {
  "recall-validator": "at once, when you put something right",
  "session-summarizer": "when a conversation ends",
};

/** "every day at 06:00", "Sundays at 03:00", "on the first of the month at 04:00", or the cron fields as they stand. */
export function whenever(when: string): string {
  const time = /(\d{1,2}:\d{2})$/.exec(when)?.[1];
  if (when === "off" || !when) return "never: it is switched off";
  if (when === time) return `every day at ${time}`;
  if (when.startsWith("monthly") && time) return `on the first of each month at ${time}`;
  const day = /^([A-Z][a-z]+) /.exec(when)?.[1];
  return day && time ? `every ${day} at ${time}` : when;
}

/** When a keeper runs, in words. */
export function runs(keeper: string, lines: Line[]): string {
  if (!lines.length) return OF_ITS_OWN[keeper] ?? "only when you start it";
  return lines.map((line) => whenever(line.when)).join(", and ");
}

export const STATUS: Record<string, string> = {
  done: "done",
  failed: "failed",
  stopped: "stopped before it was done",
  skipped: "left out",
};

/** What a run did, in a few words. */
export function did(run: Run): string {
  if (run.status === "failed") return "Failed";
  if (run.status === "stopped") return "Stopped before it was done";
  if (run.status === "skipped") return "Left out";
  return run.changes ? counted(run.changes, "change") : "Nothing to change";
}

/** A note of a run without the name of the error's class before it, which is for programs. */
export function inWords(note: string): string {
  const text = note.replace(/^[A-Z]\w*(?:Error|Exception): /, "");
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!…]$/.test(text) ? "" : ".");
}

/** What came of a run by hand. */
export function ended(job: Job): string {
  if (job.state === "cancelled") return "Stopped. What was done so far is kept.";
  if (job.state === "failed") return inWords(job.error || "it ended with an error");
  const { changes = 0, asked = 0, unfinished = 0 } = job.result;
  const parts = [changes ? counted(changes, "change") : "nothing to change"];
  if (asked) parts.push(`${counted(asked, "question")} to the model`);
  const rest = unfinished ? " Some of it is not finished: run it again." : "";
  return `Done: ${parts.join(", ")}.${rest}`;
}

/** "step 3 of 12" */
export function progress(job: Job): string {
  if (job.state === "queued") return "waits for other work";
  return job.of ? `step ${number(job.done)} of ${number(job.of)}` : "begins";
}

/** Money in the currency of the prices, which the settings do not name. Small sums keep two figures. */
export function price(value: number): string {
  if (!value) return "0";
  return value >= 0.1 ? value.toFixed(2) : String(Number(value.toPrecision(2)));
}

/** The last run and the next one, for a list. */
export function lastAndNext(lines: Line[]): { last: Run | null; next: string } {
  const last = lines.map((line) => line.last).sort((a, b) => (b?.at ?? "").localeCompare(a?.at ?? ""))[0];
  const next = lines.flatMap((line) => (line.next ? [line.next.at] : [])).sort()[0];
  return { last: last ?? null, next: next ? moment(next) : "" };
}
