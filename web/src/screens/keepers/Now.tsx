/** A run by hand as it goes: how far it is, Stop, and then what came of it. */
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { ProblemBox } from "../../parts/ProblemBox";
import { isOver, type Job, useStop } from "./running";
import { ended, progress } from "./words";
import "./keepers.css";

export function Now({ job, name }: { job: Job; name?: string }) {
  const stop = useStop(job.id);
  const who = name || "A keeper that was started by hand";
  if (isOver(job)) {
    const look = job.state === "done" ? "ok" : job.state === "failed" ? "danger" : "";
    return (
      <div className={`note ${look}`} role="status">
        <Icon name={job.state === "done" ? "check" : job.state === "failed" ? "alert" : "stop"} />
        <span className="grow">{ended(job)}</span>
      </div>
    );
  }
  const part = job.of ? (job.done / job.of) * 100 : 0;
  return (
    <div className="running-now">
      <div className="row">
        <p className="grow" role="status">
          <b className="strong">{who}</b> runs, {progress(job)}
        </p>
        {job.can_cancel && (
          <Button
            size="small"
            icon="stop"
            disabled={stop.isPending || stop.data?.stops}
            onClick={() => stop.mutate()}
          >
            {stop.data?.stops ? "Stops" : "Stop"}
          </Button>
        )}
      </div>
      <div className="track" aria-hidden="true">
        <i style={{ width: `${part}%` }} />
      </div>
      {stop.isError && <ProblemBox title="It did not stop." error={stop.error} />}
    </div>
  );
}
