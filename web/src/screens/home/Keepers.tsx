/** Which keepers failed last, and which run next. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { place } from "../../address";
import type { Schemas } from "../../api/client";
import { schedule } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Panel } from "../../parts/Panel";
import { ProblemBox } from "../../parts/ProblemBox";
import { Reading } from "../../parts/Reading";
import { moment } from "../../words";
import { Now } from "../keepers/Now";
import { isOver, useJobs, useStart } from "../keepers/running";
import { inWords } from "../keepers/words";

type Line = Schemas["ScheduledShown"];
const MOST = 4;

/** Those whose last run failed, or that never run; nothing when all is well. */
export function Failed({ agent }: { agent: string }) {
  const lines = useQuery(schedule(agent)).data?.schedule ?? [];
  const failed = lines.filter((line) => line.last?.status === "failed" || line.problem);
  if (!failed.length) return null;
  return (
    <Panel title="Went wrong" count={failed.length} look="danger" className="failed">
      {failed.map((line) => (
        <One key={`${line.job} ${line.when}`} agent={agent} line={line} />
      ))}
    </Panel>
  );
}

function One({ agent, line }: { agent: string; line: Line }) {
  const run = useStart(agent, line.job);
  const job = useJobs(agent).find((each) => each.keeper === line.job);
  const isBusy = job !== undefined && !isOver(job);
  const at = line.last?.ended ?? line.last?.at;
  return (
    <div className="failure">
      <p>
        <b className="strong">{line.job}</b>
        {at && `, ${moment(at)}`}
      </p>
      <p className="soft">
        {line.problem || line.last?.notes.map(inWords).join(" ") || "The run ended with an error."}
      </p>
      {run.isError && <ProblemBox title="It did not start." error={run.error} />}
      {job && <Now job={job} name={line.job} />}
      <div className="row wrap mt-2">
        <Button size="small" icon="play" disabled={run.isPending || isBusy} onClick={() => run.mutate()}>
          Run again
        </Button>
        <Link
          className="btn small quiet"
          to={place("keepers")}
          params={{ agent }}
          search={{ keeper: line.job }}
        >
          See the run
        </Link>
      </div>
    </div>
  );
}

export function Next({ agent }: { agent: string }) {
  const query = useQuery(schedule(agent));
  return (
    <Panel
      title="Runs next"
      aside={
        <Link className="link" to={place("keepers")} params={{ agent }}>
          Schedule
        </Link>
      }
    >
      <Reading of={query} what="Reading the schedule">
        {({ schedule: lines }) => {
          const next = lines
            .filter((line) => line.next)
            .sort((a, b) => (a.next?.at ?? "").localeCompare(b.next?.at ?? ""));
          if (!next.length)
            return (
              <Empty icon="keepers" title="No keeper has a schedule">
                Settings say when each one runs.
              </Empty>
            );
          return (
            <ul className="next">
              {next.slice(0, MOST).map((line) => (
                <li key={`${line.job} ${line.next?.slot}`}>
                  <span>{line.job}</span>
                  <time className="num" dateTime={line.next?.at}>
                    {moment(line.next?.at ?? "")}
                  </time>
                </li>
              ))}
            </ul>
          );
        }}
      </Reading>
    </Panel>
  );
}
