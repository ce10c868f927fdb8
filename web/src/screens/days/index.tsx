/** Days: a year at a glance, and one day of it whole. */
import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { useAgent, useParam } from "../../address";
import { Button } from "../../parts/Button";
import { Meta } from "../../parts/Meta";
import { Reading } from "../../parts/Reading";
import { Segmented } from "../../parts/Segmented";
import { TopBar } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { isTyping, useKeys } from "../../shell/keys";
import { counted, isoDay, longDay, nearDay } from "../../words";
import { type Counts, isDay, later, type Measure } from "./calendar";
import { Day } from "./Day";
import { Month, Year } from "./HeatMap";
import { dayCounts } from "./queries";
import "./days.css";

const YEAR = 364;
const phone = window.matchMedia("(max-width: 640px)");

function usePhone(): boolean {
  return useSyncExternalStore(
    (told) => {
      phone.addEventListener("change", told);
      return () => phone.removeEventListener("change", told);
    },
    () => phone.matches,
  );
}

export default function Days() {
  const agent = useAgent();
  const name = useAgentName(agent);
  const [asked, setDay] = useParam("day");
  const [by, setBy] = useParam("by", "messages");
  const measure: Measure = by === "learnt" || by === "changes" ? by : "messages";
  const today = isoDay(new Date());
  const day = isDay(asked) && asked <= today ? asked : today;
  // The year that ends today, or an earlier one that ends with the day that is asked for.
  const until = day < later(today, -YEAR) ? day : today;
  const since = later(until, -YEAR);
  const query = useQuery(dayCounts(agent, since, until));
  const isPhone = usePhone();
  const choose = (next: string) => {
    if (next <= today) setDay(next === today ? "" : next);
  };
  const move = (days: number) => () => {
    if (!isTyping(document.activeElement)) choose(later(day, days));
  };
  useKeys([
    { keys: "arrowleft", does: "The day before", run: move(-1) },
    { keys: "arrowright", does: "The day after", run: move(1) },
    { keys: "k", does: "The day before", run: move(-1) },
    { keys: "j", does: "The day after", run: move(1) },
  ]);

  return (
    <>
      <TopBar title="Days" fact={isPhone ? undefined : fact(query.data?.days)}>
        <Segmented
          label="Count"
          value={measure}
          choices={[
            { value: "messages", label: "Said" },
            { value: "learnt", label: "Learnt" },
            { value: "changes", label: "Changed" },
          ]}
          onChange={setBy}
        />
      </TopBar>
      <div className="scroll days">
        <div className="page">
          <section className="panel map" aria-label="Calendar">
            <Reading of={query} what="Counting the days" lines={3}>
              {({ days }) => {
                const Shown = isPhone ? Month : Year;
                return (
                  <Shown
                    days={new Map(days.map((each) => [each.day, each]))}
                    measure={measure}
                    since={since}
                    until={until}
                    chosen={day}
                    onChoose={choose}
                  />
                );
              }}
            </Reading>
            <p className="legend meta" aria-hidden="true">
              fewer
              {[0, 1, 2, 3, 4].map((each) => (
                <i key={each} className={`cell s${each}`} />
              ))}
              more
            </p>
          </section>
          <header className="which">
            <div className="grow">
              <h2>{longDay(day)}</h2>
              <DayMeta day={day} counts={query.data?.days.find((each) => each.day === day)} />
            </div>
            <Button look="quiet" icon="left" label="The day before" onClick={() => choose(later(day, -1))} />
            <Button
              look="quiet"
              icon="right"
              label="The day after"
              disabled={day >= today}
              onClick={() => choose(later(day, 1))}
            />
          </header>
          <Day key={day} agent={agent} name={name} day={day} />
        </div>
      </div>
    </>
  );
}

function fact(days: readonly Counts[] | undefined): string | undefined {
  if (!days) return undefined;
  const said = days.reduce((sum, each) => sum + each.messages, 0);
  return `${counted(days.length, "day")} with something in them, ${counted(said, "message")}`;
}

function DayMeta({ day, counts }: { day: string; counts?: Counts }) {
  const near = nearDay(day);
  return (
    <Meta>
      {["today", "yesterday"].includes(near) ? near : null}
      {counts?.messages ? counted(counts.messages, "message") : null}
      {counts?.learnt ? `${counts.learnt} learnt` : null}
      {counts?.corrected ? `${counts.corrected} put right` : null}
      {counts?.changes ? counted(counts.changes, "change") : null}
      {counts?.open_tasks ? counted(counts.open_tasks, "open task") : null}
      {counts?.open_follow_ups ? counted(counts.open_follow_ups, "open follow-up") : null}
    </Meta>
  );
}
