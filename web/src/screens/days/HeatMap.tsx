/** A year of days, a column each week; on phones one month. Arrows move within it. */
import { type KeyboardEvent, useEffect, useRef } from "react";
import { Button } from "../../parts/Button";
import { asDate, counted, longDay } from "../../words";
import { type Counts, firstOfMonth, lastOfMonth, later, type Measure, strength, weeks } from "./calendar";

type Props = {
  days: ReadonlyMap<string, Counts>;
  measure: Measure;
  since: string;
  until: string;
  chosen: string;
  onChoose: (day: string) => void;
};
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WHOLE = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric" });
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const NAMES: Record<Measure, [string, string]> = {
  messages: ["message", "messages"],
  learnt: ["memory learnt", "memories learnt"],
  changes: ["change", "changes"],
};

function useMoving({ since, until, chosen, onChoose }: Props, across: number, down: number) {
  const box = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  useEffect(() => {
    // Only who moves by key takes the focus along.
    if (moved.current) box.current?.querySelector<HTMLElement>(`[data-day="${chosen}"]`)?.focus();
    moved.current = false;
  }, [chosen]);
  const move = (event: KeyboardEvent) => {
    const by = {
      ArrowLeft: -across,
      ArrowRight: across,
      ArrowUp: -down,
      ArrowDown: down,
      PageUp: -28,
      PageDown: 28,
    }[event.key];
    const next = event.key === "Home" ? since : event.key === "End" ? until : by && later(chosen, by);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    if (next < since || next > until || next === chosen) return;
    moved.current = true;
    onChoose(next);
  };
  return { box, move };
}

export function Year(props: Props) {
  const { days, measure, since, until, chosen } = props;
  const { box, move } = useMoving(props, 7, 1);
  const all = weeks(since, until);
  useEffect(() => {
    const cell = box.current?.querySelector<HTMLElement>(`[data-day="${chosen}"]`);
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chosen, box]);
  return (
    <div className="year" ref={box}>
      <div className="months" aria-hidden="true">
        {all.map((week, i) => {
          const first = week.find((day) => day?.endsWith("-01")) ?? (i === 0 ? week.find(Boolean) : null);
          const next = all[i + 1]?.some((day) => day?.endsWith("-01"));
          // A name needs room: the first month is named unless the next one follows at once.
          return (
            <span key={week.join()}>
              {first && !(i === 0 && next) ? MONTHS[asDate(first).getMonth()] : ""}
            </span>
          );
        })}
      </div>
      <div className="weekdays" aria-hidden="true">
        {WEEKDAYS.map((name, i) => (
          <span key={name}>{i % 2 ? "" : name}</span>
        ))}
      </div>
      <fieldset className="cells" aria-label="A year of days" onKeyDown={move}>
        {all.map((week) => (
          <div key={week.join()} className="week">
            {WEEKDAYS.map((name, i) => {
              const day = week[i];
              return day ? (
                <Cell key={name} {...props} day={day} counts={days.get(day)} measure={measure} />
              ) : (
                <span key={name} />
              );
            })}
          </div>
        ))}
      </fieldset>
    </div>
  );
}

export function Month(props: Props) {
  const { days, since, until, chosen, onChoose } = props;
  const { box, move } = useMoving(props, 1, 7);
  const first = firstOfMonth(chosen);
  const last = lastOfMonth(chosen);
  const within = (day: string) => (day < since ? since : day > until ? until : day);
  return (
    <div className="month" ref={box}>
      <div className="row">
        <Button
          look="quiet"
          icon="left"
          label="The month before"
          disabled={first <= since}
          onClick={() => onChoose(within(later(first, -1)))}
        />
        <b className="strong grow text-center">{WHOLE.format(asDate(chosen))}</b>
        <Button
          look="quiet"
          icon="right"
          label="The month after"
          disabled={last >= until}
          onClick={() => onChoose(within(later(last, 1)))}
        />
      </div>
      <div className="names" aria-hidden="true">
        {WEEKDAYS.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <fieldset className="cells" aria-label="A month of days" onKeyDown={move}>
        {weeks(first, last).map((week) => (
          <div key={week.join()} className="week">
            {WEEKDAYS.map((name, i) => {
              const day = week[i];
              return day && day >= since && day <= until ? (
                <Cell key={name} {...props} day={day} counts={days.get(day)} number />
              ) : (
                <span key={name} className="off">
                  {day ? Number(day.slice(8)) : ""}
                </span>
              );
            })}
          </div>
        ))}
      </fieldset>
    </div>
  );
}

type CellProps = Props & { day: string; counts?: Counts; number?: boolean };

function Cell({ days, measure, day, counts, chosen, onChoose, number = false }: CellProps) {
  const most = Math.max(1, ...[...days.values()].map((each) => each[measure]));
  const count = counts?.[measure] ?? 0;
  const said = `${longDay(day)}: ${counted(count, ...NAMES[measure])}`;
  return (
    <button
      type="button"
      className={`cell s${strength(count, most)}`}
      data-day={day}
      aria-label={said}
      aria-pressed={day === chosen}
      title={said}
      // One day is in the order of Tab; arrows lead to the others.
      tabIndex={day === chosen ? 0 : -1}
      onClick={() => onChoose(day)}
    >
      {number ? Number(day.slice(8)) : ""}
    </button>
  );
}
