/** The entries as a table of which only what is in sight is drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Audience } from "../../parts/Audience";
import { Confidence } from "../../parts/Confidence";
import { Icon } from "../../parts/Icon";
import { Kind } from "../../parts/Kind";
import { Meta } from "../../parts/Meta";
import { entryWords } from "../../remembered";
import { useKeys } from "../../shell/keys";
import { nearDay, shortDay } from "../../words";
import { type Entry, type Order, saidIn, useEntries, type Wanted } from "./list";

const ROW = 66;
const BEYOND = 8;
const HEAD = 33;

type Props = {
  agent: string;
  /** What the agent is called. */
  name: string;
  /** The entry that is chosen, and its file. */
  entry: string;
  path: string;
  wanted: Wanted;
  /** Nothing lies beside the table: tag and source become columns. */
  wide: boolean;
  inConflict: (entry: string) => boolean;
  onChoose: (entry: Entry) => void;
};

export function Table({ agent, name, entry, path, wanted, wide, inConflict, onChoose }: Props) {
  const scroll = useRef<HTMLElement>(null);
  const [range, setRange] = useState({ first: 0, last: 0 });
  const { head, total, at, find } = useEntries(agent, wanted.query, range.first, range.last);
  const chosen = entry ? find(entry, path) : -1;
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW,
    overscan: BEYOND,
    scrollPaddingStart: HEAD,
    scrollPaddingEnd: HEAD,
  });
  const rows = virtual.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => setRange({ first, last }), [first, last]);
  // An entry is brought into sight when it is chosen, not again while somebody scrolls elsewhere.
  const shown = useRef("");
  useLayoutEffect(() => {
    if (chosen < 0 || shown.current === `${path} ${entry}`) return;
    shown.current = `${path} ${entry}`;
    virtual.scrollToIndex(chosen, { align: "auto" });
  }, [chosen, entry, path, virtual]);
  // A list that was narrowed begins at its top.
  const asked = JSON.stringify(wanted.query);
  const before = useRef(asked);
  useEffect(() => {
    if (before.current === asked) return;
    before.current = asked;
    scroll.current?.scrollTo({ top: 0 });
  }, [asked]);
  const step = (by: number) => {
    const next = at(chosen < 0 ? first : Math.min(Math.max(chosen + by, 0), total - 1));
    if (next) onChoose(next);
  };
  useKeys([
    { keys: "j", does: "Next entry", run: () => step(1) },
    { keys: "k", does: "Previous entry", run: () => step(-1) },
  ]);

  // The roles stand here because rows that are placed one by one are not laid out as a table.
  return (
    <section ref={scroll} className="scroll rows" aria-label="Entries" tabIndex={-1}>
      <table
        role="table"
        aria-label="Memory"
        aria-rowcount={total + 1}
        aria-busy={head.isPlaceholderData}
        className={`entries ${wide ? "wide" : ""}`}
      >
        <Head wanted={wanted} wide={wide} />
        <tbody role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {rows.map((row) => {
            const each = at(row.index);
            return (
              <tr
                role="row"
                key={row.key}
                data-index={row.index}
                aria-rowindex={row.index + 2}
                ref={virtual.measureElement}
                className={`line ${row.index === chosen ? "chosen" : ""} ${each?.superseded ? "old" : ""}`}
                style={{ transform: `translateY(${row.start}px)` }}
              >
                {each ? (
                  <Cells
                    agent={name}
                    entry={each}
                    wide={wide}
                    chosen={row.index === chosen}
                    conflict={inConflict(each.entry)}
                    onChoose={onChoose}
                  />
                ) : (
                  <Unread wide={wide} />
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Head({ wanted, wide }: { wanted: Wanted; wide: boolean }) {
  return (
    <thead role="rowgroup" className="heads">
      <tr role="row" aria-rowindex={1} className="line">
        <Column wanted={wanted} order="file" name="Memory" />
        {wide && <Column name="Tag" />}
        {wide && <Column name="Said by" />}
        <Column wanted={wanted} order="confidence" name="Sure" />
        <Column name="Seen by" />
        <Column wanted={wanted} order="seen" name="Last" />
      </tr>
    </thead>
  );
}

function Column({ name, order, wanted }: { name: string; order?: Order; wanted?: Wanted }) {
  const on = order !== undefined && wanted?.order === order;
  const sorted = on ? (wanted.descending ? "descending" : "ascending") : undefined;
  return (
    <th role="columnheader" scope="col" aria-sort={sorted}>
      {order && wanted ? (
        <button
          type="button"
          title={`Order by ${name.toLowerCase()}`}
          onClick={() => (on ? wanted.setTurned(wanted.turned ? "" : "yes") : wanted.setSort(order))}
        >
          {name}
          {on && <Icon name="down" size="s" className={wanted.descending ? "" : "rotate-180"} />}
        </button>
      ) : (
        name
      )}
    </th>
  );
}

type CellsProps = {
  /** The agent's name. */
  agent: string;
  entry: Entry;
  wide: boolean;
  chosen: boolean;
  conflict: boolean;
  onChoose: (entry: Entry) => void;
};

const Cells = memo(function Cells({ agent, entry, wide, chosen, conflict, onChoose }: CellsProps) {
  const { who, words } = entryWords(entry);
  const corrected = entry.tag === "correction" || entry.confidence >= 1;
  const said = saidIn(entry, who, agent);
  const often = entry.mentions > 1 ? `${said}, ${entry.mentions}×` : said;
  const last = entry.seen ?? entry.added ?? /\d{4}-\d{2}-\d{2}/.exec(entry.path)?.[0];
  return (
    <>
      <td role="cell" className="tx">
        <button type="button" className="words" aria-pressed={chosen} onClick={() => onChoose(entry)}>
          {words}
        </button>
        <Meta>
          {conflict ? (
            <Kind look="conflict" icon="split">
              conflict
            </Kind>
          ) : null}
          {entry.superseded ? "replaced, kept in history" : null}
          {wide ? null : entry.tag}
          {wide ? null : often}
          <span className="file" title={entry.path}>
            {entry.path}
          </span>
        </Meta>
      </td>
      {wide && (
        <td role="cell" className="soft">
          {entry.tag}
        </td>
      )}
      {wide && (
        <td role="cell" className="soft">
          {often}
        </td>
      )}
      <td role="cell">
        <Confidence of={entry.confidence} corrected={corrected} />
      </td>
      <td role="cell" className="who">
        <Audience of={entry.audience} />
      </td>
      <td role="cell" className="num muted last" title={last ? nearDay(last) : undefined}>
        {last ? shortDay(last) : "—"}
      </td>
    </>
  );
});

function Unread({ wide }: { wide: boolean }) {
  return (
    <>
      <td role="cell" className="tx">
        <span className="hidden-text">being read</span>
        <span className="shape" style={{ width: "64%" }} />
        <span className="shape" style={{ width: "30%", height: 8, marginTop: 10 }} />
      </td>
      {wide && <td role="cell" />}
      {wide && <td role="cell" />}
      <td role="cell" />
      <td role="cell" />
      <td role="cell" />
    </>
  );
}
