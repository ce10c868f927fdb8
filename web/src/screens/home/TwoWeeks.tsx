/** How much was learnt on each of the last 14 days. */
import { Link } from "@tanstack/react-router";
import { place } from "../../address";
import { Panel } from "../../parts/Panel";
import { counted, daysAgo, longDay, number } from "../../words";

const LETTERS = "SMTWTFS";
const DAYS = 14;
const HEIGHT = 40;

export function TwoWeeks({ agent, days }: { agent: string; days: string[] }) {
  const counts = new Array<number>(DAYS).fill(0);
  for (const day of days) {
    const ago = daysAgo(day);
    if (ago >= 0 && ago < DAYS) counts[DAYS - 1 - ago] = (counts[DAYS - 1 - ago] ?? 0) + 1;
  }
  const most = Math.max(1, ...counts);
  return (
    <Panel
      title="Two weeks"
      count={`${number(days.length)} learnt`}
      aside={
        <Link className="link" to={place("days")} params={{ agent }}>
          Days
        </Link>
      }
    >
      <div
        className="bars"
        role="img"
        aria-label={`Memories learnt on each of the last ${DAYS} days, ${counted(most, "memory", "memories")} at most`}
      >
        {counts.map((count, i) => {
          const date = new Date();
          date.setDate(date.getDate() - (DAYS - 1 - i));
          const height = count ? Math.max(4, (count / most) * HEIGHT) : 2;
          return (
            <span
              key={date.toDateString()}
              className={`day ${i === DAYS - 1 ? "now" : ""}`}
              title={`${longDay(date)}: ${count}`}
            >
              <i style={{ height }} />
              <span aria-hidden="true">{LETTERS[date.getDay()]}</span>
            </span>
          );
        })}
      </div>
    </Panel>
  );
}
