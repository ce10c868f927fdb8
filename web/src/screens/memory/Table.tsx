/** The entries as a table of which only what is in sight is drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type RefObject, useLayoutEffect } from "react";
import { Audience } from "../../parts/Audience";
import { Confidence } from "../../parts/Confidence";
import { Icon } from "../../parts/Icon";
import { Kind } from "../../parts/Kind";
import { Meta } from "../../parts/Meta";
import { entryWords } from "../../remembered";
import { nearDay, shortDay } from "../../words";
import { type Entry, type Order, saidIn, type Wanted } from "./list";

const ROW = 66;
const BEYOND = 8;
const HEAD = 33;

type Props = {
  /** The agent's name. */
  agent: string;
  scroll: RefObject<HTMLDivElement | null>;
  total: number;
  at: (index: number) => Entry | undefined;
  chosen: number;
  wanted: Wanted;
  /** Nothing lies beside the table: tag, source and file become columns. */
  wide: boolean;
  inConflict: (entry: string) => boolean;
  onChoose: (entry: Entry) => void;
  onRange: (first: number, last: number) => void;
};

export function Table(props: Props) {
  const { agent, scroll, total, at, chosen, wanted, wide, inConflict, onChoose, onRange } = props;
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
  useLayoutEffect(() => onRange(first, last), [first, last, onRange]);
  useLayoutEffect(() => {
    if (chosen >= 0) virtual.scrollToIndex(chosen, { align: "auto" });
  }, [chosen, virtual]);

  return (
    // The roles stand here because rows that are placed one by one are not laid out as a table.
    <table
      role="table"
      aria-label="Memory"
      aria-rowcount={total + 1}
      className={`entries ${wide ? "wide" : ""}`}
    >
      <Head wanted={wanted} wide={wide} />
      <tbody role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {rows.map((row) => {
          const entry = at(row.index);
          return (
            <tr
              role="row"
              key={row.key}
              data-index={row.index}
              aria-rowindex={row.index + 2}
              ref={virtual.measureElement}
              className={`line ${row.index === chosen ? "chosen" : ""} ${entry?.superseded ? "old" : ""}`}
              style={{ transform: `translateY(${row.start}px)` }}
            >
              {entry ? (
                <Cells
                  agent={agent}
                  entry={entry}
                  wide={wide}
                  chosen={row.index === chosen}
                  conflict={inConflict(entry.entry)}
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
