/** The versions of SOUL.md with what each one brought, in words. */
import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { api, read, type Schemas } from "../../api/client";
import { change, soulVersions } from "../../api/queries";
import { diffOfUnified } from "../../diff";
import { author, plainWords } from "../../words";

export const SOUL = "SOUL.md";
export type Change = Schemas["ChangeWhole"];
export type Version = Schemas["VersionShown"] & {
  /** What it brought, in a sentence. */
  title: string;
  /** How many tokens more, or fewer, than the version before. */
  more: number;
  /** The change that made it, once it is read. */
  made?: Change;
};
/** So many versions are read line by line; older ones are named by the reason that was given. */
const READ = 30;

/** SOUL.md as a version has it. */
export const soulAt = (name: string, number: number) =>
  queryOptions({
    queryKey: ["soul", name, "text", number],
    queryFn: () =>
      read(
        api.GET("/api/agents/{name}/changes/{number}/file", {
          params: { path: { name, number }, query: { path: SOUL } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The versions, the newest first. */
export function useVersions(agent: string) {
  const list = useQuery(soulVersions(agent));
  const found = list.data?.versions ?? [];
  const made = useQueries({
    queries: found.slice(0, READ).map((each) => ({
      ...change(agent, each.version),
      staleTime: Number.POSITIVE_INFINITY, // what was done stays done
    })),
  });
  const versions = found.map((each, i): Version => {
    const whole = made[i]?.data;
    const before = found[i + 1];
    return {
      ...each,
      made: whole,
      title: titleOf(each, whole, before === undefined),
      more: each.tokens - (before?.tokens ?? 0),
    };
  });
  return { query: list, versions };
}

/** A sentence of its own where a version brings one or two; otherwise the reason that was given. */
function titleOf(of: Schemas["VersionShown"], made: Change | undefined, isFirst: boolean): string {
  const reason = of.reason.charAt(0).toUpperCase() + of.reason.slice(1);
  const diff = made?.diffs.find((each) => each.path === SOUL)?.diff;
  if (isFirst || !diff || /^(undo|roll)/i.test(of.reason)) return reason;
  const lines = diffOfUnified(diff).flatMap((file) => file.lines);
  const words = (kind: "add" | "del") =>
    lines
      .flatMap((line) => (line.kind === kind ? [plainWords(line.text.replace(/^\s*[-*]\s+/, ""))] : []))
      .filter((text) => text && !text.startsWith("#"));
  const [added, gone] = [words("add"), words("del")];
  if (added.length > 2 || gone.length > 2) return reason;
  if (added[0]) return added[0];
  return gone[0] ? `Took out “${gone[0]}”` : reason;
}

/** Who made a version: "soul-keeper, you approved". */
export function byWhom(of: Version): string {
  const who = author(of.author);
  return of.approved_by ? `${who}, ${author(of.approved_by).toLowerCase()} approved` : who;
}

/** The heading that the first difference stands below. */
export function sectionOf(before: string, after: string): string {
  const old = before.split("\n");
  let heading = "";
  for (const [i, line] of after.split("\n").entries()) {
    if (line !== old[i]) break;
    if (/^#{2,} /.test(line)) heading = line.replace(/^#+ /, "");
  }
  return heading;
}
