/** Keepers: what looks after memory, when each ran and runs next; run one, try one dry, see what it did and cost. */
import { useQuery } from "@tanstack/react-query";
import { useAgent, useParam } from "../../address";
import { keepers, schedule } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Kind } from "../../parts/Kind";
import { Meta } from "../../parts/Meta";
import { Reading } from "../../parts/Reading";
import { TopBar } from "../../parts/TopBar";
import { useKeys } from "../../shell/keys";
import { counted, moment } from "../../words";
import { Keeper } from "./Keeper";
import { Overview } from "./Overview";
import { isOver, useJobs } from "./running";
import { did, type Line, lastAndNext, runs } from "./words";
import "./keepers.css";

export default function Keepers() {
  const agent = useAgent();
  const [chosen, setChosen] = useParam("keeper");
  const listed = useQuery(keepers(agent));
  const planned = useQuery(schedule(agent));
  const lines = planned.data?.schedule ?? [];
  const all = listed.data?.keepers ?? [];
  const failed = lines.filter((line) => line.last?.status === "failed" || line.problem).length;
  const open = (keeper: string) => setChosen(keeper, true);
  const names = ["", ...all.map((each) => each.keeper)];
  const step = (by: number) => {
    const at = names.indexOf(chosen) + by;
    if (names[at] !== undefined) setChosen(names[at]);
  };
  useKeys([
    { keys: "j", does: "Next keeper", run: () => step(1) },
    { keys: "k", does: "Previous keeper", run: () => step(-1) },
    { keys: "escape", does: "All keepers", run: () => setChosen("") },
  ]);
  const one = all.find((each) => each.keeper === chosen);
  const fact = failed ? `${counted(failed, "keeper")} failed last time` : undefined;
  return (
    <>
      <TopBar
        title="Keepers"
        fact={fact}
        before={
          chosen ? (
            <span className="only-phone">
              <Button look="quiet" icon="left" label="All keepers" onClick={() => setChosen("")} />
            </span>
          ) : undefined
        }
      />
      <div className={`body keepers ${chosen ? "has-one" : ""}`}>
        <nav className="list" aria-label="Keepers">
          <Reading of={listed} what="Reading the keepers" lines={6}>
            {({ keepers: found }) => (
              <ul>
                <li className="only-desk">
                  <button
                    type="button"
                    className="keeper"
                    aria-current={chosen === "" ? "page" : undefined}
                    onClick={() => open("")}
                  >
                    <b className="font-medium">All keepers</b>
                    <Meta>what they did, what they cost</Meta>
                  </button>
                </li>
                {found.map((each) => (
                  <li key={each.keeper}>
                    <Row
                      agent={agent}
                      keeper={each.keeper}
                      lines={lines.filter((line) => line.job === each.keeper)}
                      isKnown={planned.data !== undefined}
                      isChosen={chosen === each.keeper}
                      onOpen={() => open(each.keeper)}
                    />
                  </li>
                ))}
              </ul>
            )}
          </Reading>
        </nav>
        <div className="scroll">
          {one ? (
            <Keeper
              key={one.keeper}
              agent={agent}
              keeper={one.keeper}
              does={one.does}
              lines={lines.filter((line) => line.job === one.keeper)}
            />
          ) : chosen && listed.data ? (
            <Empty
              icon="keepers"
              title={`There is no keeper ${chosen}`}
              action={<Button onClick={() => setChosen("")}>All keepers</Button>}
            />
          ) : (
            <Overview agent={agent} onKeeper={open} />
          )}
        </div>
      </div>
    </>
  );
}

type RowProps = {
  agent: string;
  keeper: string;
  lines: Line[];
  isKnown: boolean;
  isChosen: boolean;
  onOpen: () => void;
};

function Row({ agent, keeper, lines, isKnown, isChosen, onOpen }: RowProps) {
  const job = useJobs(agent).find((each) => each.keeper === keeper && !isOver(each));
  const { last, next } = lastAndNext(lines);
  const isRunning = job !== undefined || lines.some((line) => line.running);
  const isOff = lines.some((line) => line.problem);
  return (
    <button type="button" className="keeper" aria-current={isChosen ? "page" : undefined} onClick={onOpen}>
      <span className="row">
        <b className="grow font-medium">{keeper}</b>
        {isRunning ? (
          <span className="text-12 text-accent">runs now</span>
        ) : (
          next && <span className="num text-12 text-muted">next {next}</span>
        )}
      </span>
      <Meta>
        {isOff ? (
          <Kind look="danger" icon="alert">
            never runs
          </Kind>
        ) : last?.status === "failed" ? (
          <Kind look="danger" icon="alert">
            failed {moment(last.started ?? last.at)}
          </Kind>
        ) : last ? (
          `${moment(last.started ?? last.at)}: ${did(last).toLowerCase()}`
        ) : isKnown ? (
          lines.length ? (
            "has not run yet"
          ) : (
            `runs ${runs(keeper, lines)}`
          )
        ) : null}
      </Meta>
    </button>
  );
}
