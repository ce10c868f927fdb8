/** What can be done with an entry: give it other words, put it right, forget it, remember another; and take it back. */
import { queryOptions } from "@tanstack/react-query";
import { api, read, type Schemas } from "../../api/client";
import { Problem } from "../../api/problem";
import { corrections, queryClient } from "../../api/queries";
import { toast } from "../../parts/Toast";
import { counted } from "../../words";
import type { Entry } from "./list";

export type Whole = Schemas["EntryWhole"];

/** One entry with its history; without a path, that of the file which has it. */
export const oneEntry = (name: string, entry: string, path: string) =>
  queryOptions({
    queryKey: ["entries", name, "one", entry, path],
    queryFn: () =>
      read(
        api.GET("/api/agents/{name}/entries/{entry}", {
          params: { path: { name, entry }, query: path ? { path } : {} },
        }),
      ),
  });

/** Read again what a deed changed; the server tells of it too, but somebody waits here. */
export function stale(name: string): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ queryKey: [kind, of] }) =>
      of === name && ["entries", "corrections", "conflicts"].includes(String(kind)),
  });
}

export async function undo(name: string, number: number): Promise<void> {
  await read(
    api.POST("/api/agents/{name}/changes/{number}/undo", {
      params: { path: { name, number } },
      body: { bases: {} },
    }),
  );
  await stale(name);
}

/** A toast cannot say what went wrong, so a failed undo opens the alert of the page below it. */
function undoing(work: () => Promise<void>, onProblem: (error: unknown) => void): () => void {
  return () => void work().catch(onProblem);
}

/** Give an entry other words. Other lines of its file may change meanwhile, its own words may not. */
export async function edit(
  name: string,
  seen: Whole,
  text: string,
  onProblem: (error: unknown) => void,
): Promise<void> {
  const params = { path: { name, entry: seen.entry }, query: { path: seen.path } };
  const save = (base: string) =>
    read(api.PATCH("/api/agents/{name}/entries/{entry}", { params, body: { text, base } }));
  let made: Schemas["Edited"];
  try {
    made = await save(seen.version);
  } catch (error) {
    if (Problem.from(error).status !== 409) throw error;
    const now = await read(api.GET("/api/agents/{name}/entries/{entry}", { params }));
    if (now.text !== seen.text) throw error;
    made = await save(now.version);
  }
  await stale(name);
  const number = made.change;
  if (number === null) toast("It said that already.");
  else
    toast(
      "Edited. It holds from the next reply.",
      undoing(() => undo(name, number), onProblem),
    );
}

export type Right = { statement: string; wrong: string; right: string };

/** Put something right; it holds at once, wherever memory says otherwise. Returns what it could not do. */
export async function correct(
  name: string,
  given: Right,
  onProblem: (error: unknown) => void,
): Promise<readonly string[]> {
  const list = () => queryClient.fetchQuery({ ...corrections(name), staleTime: 0 });
  const before = new Set((await list()).corrections.map((each) => each.id));
  const report = await read(
    api.POST("/api/agents/{name}/corrections", { params: { path: { name } }, body: given }),
  );
  const made = (await list()).corrections.filter((each) => !before.has(each.id));
  await stale(name);
  const touched = new Set(report.steps.filter((step) => step.change !== null).flatMap((step) => step.files));
  const back = async () => {
    for (const each of made) {
      const params = { path: { name, correction: each.id } };
      await read(api.DELETE("/api/agents/{name}/corrections/{correction}", { params }));
    }
    await stale(name);
  };
  if (touched.size > 0)
    toast(
      `Put right in ${counted(touched.size, "file")}. It holds from the next reply.`,
      made.length ? undoing(back, onProblem) : undefined,
    );
  return [...report.problems, ...report.steps.map((step) => step.problem).filter(Boolean)];
}

/** Where an entry stands, as far as can be told before it is forgotten: its files, its history, the message. */
export function placesOf(entry: Whole): readonly string[] {
  const places = [entry.path];
  if (entry.history.length) places.push(`its history, ${counted(entry.history.length, "change")}`);
  if (entry.source.startsWith("m:")) places.push("the message that said it");
  return places;
}

export async function forget(name: string, entry: Entry): Promise<void> {
  const params = { path: { name, entry: entry.entry }, query: { path: entry.path } };
  const gone = await read(api.DELETE("/api/agents/{name}/entries/{entry}", { params }));
  const rest = gone.alike.map((each) => each.path).join(", ");
  const stays = rest && ` The same stays on other evidence in ${rest}; forget it there too?`;
  toast(`Forgotten in ${gone.files.join(", ") || "its file"} and in the history.${stays}`);
}

export async function remember(
  name: string,
  given: { text: string; tag: "event" | "knowledge" | "skill" | "decision" },
  onProblem: (error: unknown) => void,
): Promise<Schemas["RememberedShown"]> {
  const body = { ...given, title: "", key: "", section: "facts" as const };
  const made = await read(api.POST("/api/agents/{name}/entries", { params: { path: { name } }, body }));
  await stale(name);
  const undone = undoing(() => undo(name, made.change), onProblem);
  toast(made.repeated ? "It was known already." : "Remembered.", made.repeated ? undefined : undone);
  return made;
}
