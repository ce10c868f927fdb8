/** All keepers together: what runs now, what came of the last runs, and what they cost. */
import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { api, read } from "../../api/client";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Panel } from "../../parts/Panel";
import { Reading } from "../../parts/Reading";
import { Cost } from "./Cost";
import { Now } from "./Now";
import { Runs } from "./Runs";
import { isOver, useJobs } from "./running";

const PAGE = 12;

const allRuns = (name: string) =>
  infiniteQueryOptions({
    queryKey: ["runs", name],
    queryFn: ({ pageParam }) =>
      read(
        api.GET("/api/agents/{name}/runs", {
          params: { path: { name }, query: { limit: PAGE, cursor: pageParam } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
  });

export function Overview({ agent, onKeeper }: { agent: string; onKeeper: (keeper: string) => void }) {
  const query = useInfiniteQuery(allRuns(agent));
  const running = useJobs(agent).filter((job) => job.kind === "run" && !isOver(job));
  return (
    <div className="page one-keeper">
      {running.map((job) => (
        <Now key={job.id} job={job} name={job.keeper} />
      ))}
      <Cost />
      <Panel title="Last runs">
        <Reading of={query} what="Reading the runs" lines={4}>
          {({ pages }) => {
            const past = pages.flatMap((page) => page.runs);
            return past.length ? (
              <Runs runs={past} onKeeper={onKeeper} />
            ) : (
              <Empty icon="keepers" title="No keeper has run yet">
                Keepers run on their schedule while the server runs, or when you start one.
              </Empty>
            );
          }}
        </Reading>
        {query.hasNextPage && (
          <div className="border-t border-line p-2">
            <Button
              look="quiet"
              size="small"
              disabled={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              Earlier runs
            </Button>
          </div>
        )}
      </Panel>
    </div>
  );
}
