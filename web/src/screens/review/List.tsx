/** The list of what waits or was decided: its words, its kind, its place; chosen ones are decided together. */
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { place, type Search } from "../../address";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { Kind } from "../../parts/Kind";
import { Meta } from "../../parts/Meta";
import { Select } from "../../parts/Select";
import { nearDay } from "../../words";
import { Rejecting } from "./Rejecting";
import { KINDS, type Row } from "./rows";

type Props = {
  agent: string;
  rows: readonly Row[];
  current: string;
  /** Whether these wait; those that were decided cannot be chosen. */
  waiting: boolean;
  kind: string;
  kinds: readonly string[];
  onKind: (kind: string) => void;
  chosen: ReadonlySet<string>;
  onChoose: (ids: ReadonlySet<string>) => void;
  leaving: ReadonlySet<string>;
  bulk: ReactNode;
  children?: ReactNode;
};

export function List(props: Props) {
  const { rows, waiting, chosen, onChoose, current } = props;
  const list = useRef<HTMLUListElement>(null);
  const all = rows.length > 0 && rows.every((each) => chosen.has(each.id));
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the choice that moves
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <section className="list" aria-label={waiting ? "Waiting" : "Decided"}>
      <div className="bulk">
        {waiting && (
          <label className="row grow">
            <input
              type="checkbox"
              className="check"
              checked={all}
              disabled={!rows.length}
              ref={(box) => {
                if (box) box.indeterminate = !all && chosen.size > 0;
              }}
              onChange={() => onChoose(new Set(all ? [] : rows.map((each) => each.id)))}
            />
            <span className="soft">{chosen.size ? `${chosen.size} selected` : "Select all"}</span>
          </label>
        )}
        {!waiting && <span className="grow" />}
        <Select
          label="Kind"
          value={props.kind}
          before={<Icon name="filter" />}
          choices={[
            { value: "", label: "All kinds" },
            ...Object.entries(KINDS)
              .filter(([name]) => props.kinds.includes(name) || name === props.kind)
              .map(([value, { label }]) => ({ value, label })),
          ]}
          onChange={props.onKind}
        />
      </div>
      {props.children}
      <ul ref={list}>
        {rows.map((row) => (
          <Item key={row.id} row={row} {...props} />
        ))}
      </ul>
      {props.bulk ?? (
        <div className="hint meta only-desk">
          <span>
            <kbd>J</kbd> <kbd>K</kbd> next, previous
          </span>
          {waiting && (
            <span>
              <kbd>X</kbd> select
            </span>
          )}
          <span>
            <kbd>?</kbd> all keys
          </span>
        </div>
      )}
    </section>
  );
}

const STATES: Record<string, string> = {
  approved: "Approved",
  rejected: "Rejected",
  expired: "Not decided in time",
  settled: "Settled",
};

function Item({ row, agent, current, waiting, chosen, onChoose, leaving }: Props & { row: Row }) {
  const { label, icon, look } = KINDS[row.kind];
  const choose = () => {
    const next = new Set(chosen);
    if (!next.delete(row.id)) next.add(row.id);
    onChoose(next);
  };
  return (
    <li className={`it ${row.id === current ? "on" : ""} ${leaving.has(row.id) ? "leaving" : ""}`}>
      {waiting && (
        <label className="box">
          <span className="hidden-text">Select: {row.words}</span>
          <input type="checkbox" className="check" checked={chosen.has(row.id)} onChange={choose} />
        </label>
      )}
      <div className="grow">
        <Link
          className="words open"
          to={place("review")}
          params={{ agent }}
          search={((old: Search) => ({ ...old, item: row.id })) as never}
          aria-current={row.id === current ? "true" : undefined}
        >
          {row.words}
        </Link>
        <Meta>
          <Kind look={look} icon={icon}>
            {label}
          </Kind>
          {row.conflict ? row.place : <span className="file">{row.place}</span>}
          {waiting ? null : (STATES[row.state] ?? row.state)}
          {waiting ? null : nearDay(row.at)}
        </Meta>
      </div>
    </li>
  );
}

type BulkProps = {
  count: number;
  busy: boolean;
  rejecting: boolean;
  onRejecting: (open: boolean) => void;
  onApprove: () => void;
  onReject: (why: string) => void;
  onClear: () => void;
};

/** What can be done with all that are chosen. */
export function BulkBar({ count, busy, rejecting, onRejecting, onApprove, onReject, onClear }: BulkProps) {
  return (
    <div className="bulk-bar">
      {rejecting ? (
        <Rejecting
          deed={`Reject ${count}`}
          busy={busy}
          onReject={onReject}
          onClose={() => onRejecting(false)}
        />
      ) : (
        <>
          <Button look="main" icon="check" keys="A" disabled={busy} onClick={onApprove}>
            Approve {count}
          </Button>
          <Button look="danger" keys="R" disabled={busy} onClick={() => onRejecting(true)}>
            Reject {count}
          </Button>
          <span className="grow" />
          <Button look="quiet" icon="x" label="Select none" disabled={busy} onClick={onClear} />
        </>
      )}
    </div>
  );
}
