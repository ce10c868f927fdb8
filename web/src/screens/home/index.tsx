/** Home: one sentence about the week, what waits, what went wrong, what was learnt lately, what runs next. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { place, useAgent } from "../../address";
import { corrections, entries } from "../../api/queries";
import { paletteOpen } from "../../choices";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { EntryRow } from "../../parts/EntryRow";
import { Icon } from "../../parts/Icon";
import { Panel } from "../../parts/Panel";
import { Reading } from "../../parts/Reading";
import { useTitle } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { useWaiting } from "../../shell/waiting";
import { daysAgo, isoDay, wholeDay } from "../../words";
import { Failed, Next } from "./Keepers";
import { Sentence } from "./Sentence";
import { TwoWeeks } from "./TwoWeeks";
import { Waits } from "./Waits";
import "./home.css";

export const DAYS = 14;
const LATELY = 5;

export default function Home() {
  const agent = useAgent();
  const name = useAgentName(agent);
  useTitle(name);
  const since = isoDay(new Date(Date.now() - (DAYS - 1) * 86_400_000));
  const recent = useQuery(entries(agent, { since, order: "added", limit: 1000 }));
  const corrected = useQuery(corrections(agent));
  const waiting = useWaiting(agent);
  const learnt = useMemo(
    () =>
      (recent.data?.entries ?? [])
        .filter((each) => each.added && daysAgo(each.added) < DAYS && !each.superseded)
        .sort((a, b) => (b.added ?? "").localeCompare(a.added ?? "")),
    [recent.data],
  );
  const week = learnt.filter((each) => daysAgo(each.added ?? "") < 7).length;
  const right = (corrected.data?.corrections ?? []).filter((each) => daysAgo(each.date) < 7).length;
  const ready = recent.data !== undefined && corrected.data !== undefined && waiting.isReady;

  return (
    <>
      <header className="top only-phone">
        <Icon name="soul" className="mark" />
        <b className="strong grow">{name}</b>
        <Button look="quiet" icon="search" label="Search or go to" onClick={() => paletteOpen.set(true)} />
      </header>
      <div className="scroll">
        <div className="home">
          <header className="lead">
            <p className="meta">{wholeDay(new Date())}</p>
            <Sentence
              agent={agent}
              name={name}
              counts={ready ? { learnt: week, right, waiting: waiting.count } : undefined}
              // A page holds so many; there may be more.
              more={recent.data?.next != null}
            />
          </header>
          <div className="cols">
            <div className="col">
              <Waits agent={agent} />
              <Panel
                title="Learnt lately"
                className="lately"
                aside={
                  <Link to={place("memory")} params={{ agent }} className="link">
                    All memory
                  </Link>
                }
              >
                <Reading of={recent} what={`Reading what ${name} learnt`} lines={4}>
                  {() =>
                    learnt.length ? (
                      <ul>
                        {learnt.slice(0, LATELY).map((each) => (
                          <li key={`${each.path}:${each.entry || each.line}`}>
                            <EntryRow entry={each} />
                          </li>
                        ))}
                      </ul>
                    ) : (
                      <Empty icon="memory" title="Nothing new in two weeks">
                        What {name} learns from conversations appears here.
                      </Empty>
                    )
                  }
                </Reading>
              </Panel>
            </div>
            <div className="col aside">
              <Failed agent={agent} />
              <Next agent={agent} />
              {learnt.length > 0 && <TwoWeeks agent={agent} days={learnt.map((each) => each.added ?? "")} />}
            </div>
          </div>
        </div>
      </div>
    </>
  );
}
