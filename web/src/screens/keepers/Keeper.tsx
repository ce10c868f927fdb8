/** One keeper: what it does and when, run it now or dry, and what came of its runs. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { keeperRuns } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Note } from "../../parts/Note";
import { Panel } from "../../parts/Panel";
import { ProblemBox } from "../../parts/ProblemBox";
import { Reading } from "../../parts/Reading";
import { useKeys } from "../../shell/keys";
import { moment } from "../../words";
import { Changes } from "./Changes";
import { Cost } from "./Cost";
import { DryRun, useDryRun } from "./DryRun";
import { Now } from "./Now";
import { Runs } from "./Runs";
import { isOver, useJobs, useStart } from "./running";
import { type Line, lastAndNext, runs } from "./words";

type Props = { agent: string; keeper: string; does: string; lines: Line[] };

export function Keeper({ agent, keeper, does, lines }: Props) {
  const start = useStart(agent, keeper);
  const dry = useDryRun(agent, keeper);
  const job = useJobs(agent).find((each) => each.keeper === keeper);
  const onSchedule = lines.find((line) => line.running);
  const busy = start.isPending || (job !== undefined && !isOver(job)) || onSchedule !== undefined;
  const run = () => {
    if (!busy) start.mutate();
  };
  const tryDry = () => {
    if (!dry.isPending) dry.mutate();
  };
  useKeys([
    { keys: "n", does: "Run the keeper now", run },
    { keys: "w", does: "Why: what it would do (dry run)", run: tryDry },
  ]);
  const { next } = lastAndNext(lines);
  return (
    <div className="page one-keeper">
      <header className="grid gap-1">
        <h2 className="text-20 strong">{keeper}</h2>
        <p className="soft">{does}</p>
        <p className="muted">
          It runs {runs(keeper, lines)}
          {next && `; next ${next}`}.{" "}
          {lines.map((line) => (
            <Link key={line.setting} className="link" to="/settings" search={{ q: line.setting }}>
              Change when
            </Link>
          ))}
        </p>
        <div className="row wrap mt-2">
          <Button look="main" icon="play" keys="N" disabled={busy} onClick={run}>
            Run now
          </Button>
          <Button icon="eye" keys="W" disabled={dry.isPending} onClick={tryDry}>
            Dry run
          </Button>
          <span className="muted text-12">A dry run writes nothing.</span>
        </div>
      </header>
      {lines
        .filter((line) => line.problem)
        .map((line) => (
          <Note key={line.setting} look="danger">
            It never runs on its own: {line.problem}
          </Note>
        ))}
      {onSchedule?.running && (
        <Note>It runs now, as scheduled, since {moment(onSchedule.running.started)}.</Note>
      )}
      {start.isError && (
        <ProblemBox title="It did not start." error={start.error} onRetry={() => start.mutate()} />
      )}
      {job && <Now job={job} name={keeper} />}
      <DryRun of={dry} keeper={keeper} />
      {lines.length > 0 && <Past agent={agent} keeper={keeper} />}
      <Changes agent={agent} keeper={keeper} />
      <Cost keeper={keeper} />
    </div>
  );
}

function Past({ agent, keeper }: { agent: string; keeper: string }) {
  const query = useQuery(keeperRuns(agent, keeper));
  return (
    <Panel title="Runs" count={query.data?.runs.length || undefined}>
      <Reading of={query} what="Reading its runs" lines={3}>
        {({ runs: past }) =>
          past.length ? (
            <Runs runs={past} />
          ) : (
            <Empty icon="keepers" title="It has not run yet">
              What comes of its scheduled runs appears here.
            </Empty>
          )
        }
      </Reading>
    </Panel>
  );
}
