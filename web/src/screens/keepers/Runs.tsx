/** Past runs: when, what each did, what went wrong in words, how long it took and what it cost. */
import { Kind } from "../../parts/Kind";
import { Meta } from "../../parts/Meta";
import { counted, duration, moment } from "../../words";
import { did, inWords, price, type Run } from "./words";

type Props = { runs: (Run & { keeper?: string })[]; onKeeper?: (keeper: string) => void };

export function Runs({ runs, onKeeper }: Props) {
  return (
    <ol className="runs">
      {runs.map((run) => (
        <li key={`${run.keeper} ${run.slot}`}>
          <div className="row items-baseline">
            {run.keeper && onKeeper && (
              <button type="button" className="link" onClick={() => onKeeper(run.keeper ?? "")}>
                {run.keeper}
              </button>
            )}
            <span className={run.keeper ? "grow" : "grow strong"}>
              {run.status === "failed" ? (
                <Kind look="danger" icon="alert">
                  Failed
                </Kind>
              ) : (
                did(run)
              )}
            </span>
            <time className="num muted text-12" dateTime={run.at}>
              {moment(run.started ?? run.at)}
            </time>
          </div>
          {run.notes.map((note) => (
            <p key={note} className="soft">
              {inWords(note)}
            </p>
          ))}
          <Meta>
            {run.seconds ? `took ${duration(run.seconds)}` : null}
            {run.attempts > 1 ? counted(run.attempts, "attempt") : null}
            {run.tokens_in + run.tokens_out ? counted(run.tokens_in + run.tokens_out, "token") : null}
            {run.cost ? `cost ${price(run.cost)}` : null}
          </Meta>
        </li>
      ))}
    </ol>
  );
}
