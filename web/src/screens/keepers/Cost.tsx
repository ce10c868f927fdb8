/** What language models cost day by day, as a chart with its table. Nothing where nothing was paid. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, read } from "../../api/client";
import { Chart } from "../../parts/lazy";
import { Panel } from "../../parts/Panel";
import { asDate, counted, isoDay, longDay, number } from "../../words";
import { price } from "./words";

const spending = () =>
  queryOptions({ queryKey: ["runs", "", "spending"], queryFn: () => read(api.GET("/api/spending")) });
const REPLIES = "reply";

/** Without a keeper: all of them and the replies. */
export function Cost({ keeper = "" }: { keeper?: string }) {
  const { data } = useQuery(spending());
  const days = useMemo(() => {
    const paid = (data?.days ?? []).map((each) => ({
      ...each,
      cost: keeper ? (each.costs[keeper] ?? 0) : each.cost,
    }));
    return paid.filter((each) => each.cost > 0).reverse();
  }, [data, keeper]);
  const { times, lines } = useMemo(() => everyDay(days, data?.until ?? ""), [days, data]);
  if (!data || !days.length) return null;
  const total = days.reduce((sum, each) => sum + each.cost, 0);
  const since = longDay(days[0]?.day ?? "");
  const say = `${price(total)} since ${since}`;
  return (
    <Panel title="Cost" count={say}>
      <div className="px-4 pt-3">
        <Chart label={`Cost of each day: ${say}`} times={times} lines={lines} written={price} height={140} />
      </div>
      <details className="px-4 pb-3">
        <summary className="link">As a table</summary>
        <div className="overflow-x-auto">
          <table className="plain">
            <caption className="hidden-text">Cost of each day</caption>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {!keeper && <th scope="col">Questions</th>}
                {!keeper && <th scope="col">Tokens</th>}
                {!keeper && <th scope="col">Replies</th>}
                <th scope="col">{keeper ? "Cost" : "All"}</th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map((each) => (
                <tr key={each.day}>
                  <th scope="row">{longDay(each.day)}</th>
                  {!keeper && <td>{number(each.questions)}</td>}
                  {!keeper && <td>{number(each.tokens_in + each.tokens_out)}</td>}
                  {!keeper && <td>{price(each.costs[REPLIES] ?? 0)}</td>}
                  <td>{price(each.cost)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
      <p className="border-t border-line px-4 py-2 text-12 text-muted">
        By the prices in the settings, in their currency, for all agents of this home;{" "}
        {counted(days.length, "day")} with questions to a model.
      </p>
    </Panel>
  );
}

/** The days without cost too, so that time runs evenly. */
function everyDay(days: { day: string; cost: number }[], until: string) {
  const costs = new Map(days.map((each) => [each.day, each.cost]));
  const times: number[] = [];
  const values: number[] = [];
  const last = days.length ? until : "";
  for (const at = asDate(days[0]?.day ?? ""); last && isoDay(at) <= last; at.setDate(at.getDate() + 1)) {
    times.push(at.getTime() / 1000);
    values.push(costs.get(isoDay(at)) ?? 0);
  }
  return { times, lines: [{ name: "Cost", values, bars: true }] };
}
