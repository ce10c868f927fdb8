/** How the search index of an agent stands, with a button that makes it anew. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, read } from "../../api/client";
import { queryClient, stats } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Note } from "../../parts/Note";
import { Panel } from "../../parts/Panel";
import { ProblemBox } from "../../parts/ProblemBox";
import { Reading } from "../../parts/Reading";
import { bytes, counted, moment, number } from "../../words";
import { isOver, type Job, useJobs, useStop } from "../keepers/running";

export function SearchIndex({ agent, name }: { agent: string; name: string }) {
  const query = useQuery(stats(agent));
  const job = useJobs(agent).find((each) => each.kind === "rebuild_index");
  const isRunning = job !== undefined && !isOver(job);
  const rebuild = useMutation({
    mutationFn: () =>
      read(api.POST("/api/agents/{name}/index/rebuild", { params: { path: { name: agent } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["jobs", agent] }),
  });
  const stop = useStop(job?.id ?? "");
  // An event of the job does not concern the figures above it; its end does.
  useEffect(() => {
    if (!isRunning) void queryClient.invalidateQueries({ queryKey: ["stats", agent] });
  }, [isRunning, agent]);
  return (
    <Panel
      title={`Index of ${name}`}
      aside={
        isRunning ? (
          job.can_cancel && (
            <Button size="small" icon="stop" disabled={stop.isPending} onClick={() => stop.mutate()}>
              Stop
            </Button>
          )
        ) : (
          <Button size="small" disabled={rebuild.isPending} onClick={() => rebuild.mutate()}>
            Make it anew
          </Button>
        )
      }
    >
      <Reading of={query} what="Reading the index" lines={2}>
        {({ index }) => (
          <div className="grid gap-3 p-4">
            <p>
              {index.up_to_date ? "It is up to date" : `${counted(index.waiting, "text")} still to be read`}:{" "}
              {counted(index.documents, "file")} and {counted(index.conversations, "conversation")} in{" "}
              {counted(index.chunks, "piece")}
              {index.size ? `, ${bytes(index.size)}` : ""}.
            </p>
            {index.file && <p className="file muted">{index.file}</p>}
            {index.problems.map((each) => (
              <Note key={each} look="conflict">
                {each}
              </Note>
            ))}
            {rebuild.isError && <ProblemBox title="It did not start." error={rebuild.error} />}
            {job && (
              <div role="status" className="grid gap-2">
                {isRunning ? (
                  <p className="soft">
                    It is made anew
                    {job.of ? `: ${number(job.done)} of ${counted(job.of, "text")}` : ""}. Search works
                    meanwhile.
                  </p>
                ) : (
                  <p className="soft">{outcome(job)}</p>
                )}
              </div>
            )}
          </div>
        )}
      </Reading>
    </Panel>
  );
}

function outcome({ state, error, ended }: Job): string {
  if (state === "done") return `It was made anew ${ended ? moment(ended) : ""}.`;
  if (state === "cancelled") return "Stopped; the index that was there is still used.";
  return `It could not be made anew: ${error || "it ended with an error"}.`;
}
