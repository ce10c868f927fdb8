/** Review: proposals, conflicts and maybe-corrections, each with its evidence, to be decided one by one or together. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { place, type Search, useAgent, useParam } from "../../address";
import { schedule } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ProblemBox } from "../../parts/ProblemBox";
import { Segmented } from "../../parts/Segmented";
import { toast } from "../../parts/Toast";
import { TopBar } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { useKeys } from "../../shell/keys";
import { useWaiting } from "../../shell/waiting";
import { counted, moment } from "../../words";
import { BulkDone } from "./BulkDone";
import { ConflictDetail } from "./ConflictDetail";
import { allProposals, type Bulk, decideAll, decided, decidedConflicts, takeBack } from "./deciding";
import { BulkBar, List } from "./List";
import { ProposalDetail } from "./ProposalDetail";
import { type Row, rowsOf } from "./rows";
import "./review.css";

const LEAVES_MS = 200;
const NONE: ReadonlySet<string> = new Set();

/** The rows of what waits, or of what was decided. */
function useRows(agent: string, isWaiting: boolean) {
  const waiting = useWaiting(agent);
  const every = useQuery({ ...allProposals(agent), enabled: !isWaiting });
  const settled = useQuery({ ...decidedConflicts(agent), enabled: !isWaiting });
  const rows = useMemo(() => {
    if (isWaiting) return rowsOf(waiting.proposals, waiting.conflicts);
    // What became of a conflict is told by the conflict, not by the proposal that it led to.
    const closed = (every.data?.proposals ?? []).filter(
      (each) => each.state !== "open" && !each.files.includes("CONFLICTS.md"),
    );
    return rowsOf(closed, settled.data?.conflicts ?? []);
  }, [isWaiting, waiting.proposals, waiting.conflicts, every.data, settled.data]);
  return {
    rows,
    isReady: isWaiting ? waiting.isReady : every.data !== undefined && settled.data !== undefined,
    error: isWaiting ? waiting.error : (every.error ?? settled.error),
  };
}

export default function Review() {
  const agent = useAgent();
  const name = useAgentName(agent);
  const navigate = useNavigate();
  const [show] = useParam("show", "waiting");
  const [kind, setKind] = useParam("kind");
  const [item, setItem] = useParam("item");
  const [chosen, setChosen] = useState(NONE);
  const [leaving, setLeaving] = useState(NONE);
  const [rejecting, setRejecting] = useState(false);
  const [busy, setBusy] = useState(false);
  const [bulk, setBulk] = useState<Bulk | null>(null);
  const [notBack, setNotBack] = useState<unknown>();
  const detail = useRef<HTMLElement>(null);
  const isWaiting = show !== "decided";
  const { rows: all, isReady, error } = useRows(agent, isWaiting);
  const { count } = useWaiting(agent);

  const rows = useMemo(() => all.filter((each) => !kind || each.kind === kind), [all, kind]);
  const current = item || rows.find((each) => !leaving.has(each.id))?.id || "";
  const at = rows.findIndex((each) => each.id === current);
  // What left the list meanwhile is no longer chosen.
  const picked = useMemo(() => rows.filter((each) => chosen.has(each.id)), [rows, chosen]);

  const turn = (to: string) => {
    const search = (old: Search) => ({ ...old, item: undefined, show: to === "decided" ? to : undefined });
    void navigate({ to: ".", search: search as never });
  };
  const go = (step: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
    if (next) setItem(next.id);
  };
  const undo = (changes: number[]) => () => {
    setNotBack(undefined);
    takeBack(agent, changes)
      .catch(setNotBack)
      .finally(() => decided(agent));
  };
  /** Rows leave the list, and the next one that stays is shown. */
  const leave = (ids: readonly string[]) => {
    const gone = new Set(ids);
    if (gone.has(current)) {
      const next = rows.slice(at + 1).find((each) => !gone.has(each.id));
      setItem((next ?? rows.slice(0, Math.max(0, at)).findLast((each) => !gone.has(each.id)))?.id ?? "");
      if (detail.current?.contains(document.activeElement)) detail.current.focus();
    }
    setLeaving((old) => new Set([...old, ...ids]));
    window.setTimeout(() => decided(agent), LEAVES_MS);
  };
  const onDecided = (id: string, words: string, changes: number[]) => {
    setNotBack(undefined);
    leave([id]);
    toast(words, changes.length ? undo(changes) : undefined);
  };
  const decide = async (deed: Bulk["deed"], why = "") => {
    if (busy || !picked.length) return;
    setBusy(true);
    const result = await decideAll(agent, picked, deed, why);
    setBusy(false);
    setRejecting(false);
    setChosen(new Set(result.failed.map((each) => each.row.id)));
    setBulk(result.failed.length ? result : null);
    leave(result.done);
    if (result.done.length)
      toast(
        `${counted(result.done.length, "proposal")} ${deed}.`,
        result.changes.length ? undo(result.changes) : undefined,
      );
  };
  // A row that came back, because its decision was taken back, is no longer leaving.
  useEffect(() => {
    if (!leaving.size) return;
    const timer = window.setTimeout(() => setLeaving(NONE), LEAVES_MS * 10);
    return () => window.clearTimeout(timer);
  }, [leaving]);

  useKeys([
    { keys: "j", does: "Next", run: () => go(1) },
    { keys: "k", does: "Previous", run: () => go(-1) },
    ...(isWaiting && at >= 0
      ? [
          {
            keys: "x",
            does: "Select",
            run: () => {
              const next = new Set(chosen);
              if (!next.delete(current)) next.add(current);
              setChosen(next);
            },
          },
        ]
      : []),
    ...(picked.length
      ? [
          { keys: "a", does: "Approve all selected", run: () => void decide("approved") },
          { keys: "r", does: "Reject all selected", run: () => setRejecting(true) },
          { keys: "escape", does: "Select none", run: () => setChosen(NONE) },
        ]
      : []),
  ]);

  const shownRow = rows[at] ?? all.find((each) => each.id === current);
  return (
    <>
      <TopBar
        title="Review"
        before={
          item && (
            <Button
              className="only-phone back"
              look="quiet"
              icon="left"
              label="Back to the list"
              onClick={() => setItem("")}
            />
          )
        }
        fact={
          <>
            <span className={`text-muted ${item ? "only-desk" : ""}`}>
              {isReady
                ? count
                  ? `${count} ${count === 1 ? "waits" : "wait"} for you`
                  : "Nothing waits"
                : ""}
            </span>
            {item && at >= 0 && (
              <span className="num only-phone text-muted">
                {at + 1} of {rows.length}
              </span>
            )}
          </>
        }
      >
        {item && (
          <Button className="only-phone" look="quiet" icon="down" label="Next" onClick={() => go(1)} />
        )}
        <div className={item ? "only-desk" : ""}>
          <Segmented
            label="Which"
            value={isWaiting ? "waiting" : "decided"}
            choices={[
              { value: "waiting", label: "Waiting" },
              { value: "decided", label: "Decided" },
            ]}
            onChange={(value) => {
              setChosen(NONE);
              setBulk(null);
              turn(value);
            }}
          />
        </div>
      </TopBar>
      <div className={`body review ${item ? "has-item" : ""}`}>
        <List
          agent={agent}
          rows={rows}
          current={current}
          waiting={isWaiting}
          kind={kind}
          kinds={all.map((each) => each.kind)}
          onKind={setKind}
          chosen={chosen}
          onChoose={setChosen}
          leaving={leaving}
          bulk={
            picked.length > 0 ? (
              <BulkBar
                count={picked.length}
                busy={busy}
                rejecting={rejecting}
                onRejecting={setRejecting}
                onApprove={() => void decide("approved")}
                onReject={(why) => void decide("rejected", why)}
                onClear={() => setChosen(NONE)}
              />
            ) : null
          }
        >
          {bulk && <BulkDone agent={agent} of={bulk} onClose={() => setBulk(null)} />}
          {error && !isReady ? (
            <div className="p-4">
              <ProblemBox error={error} />
            </div>
          ) : !isReady ? (
            <Loading what="Reading what waits" lines={4} />
          ) : (
            !rows.length && <Nothing agent={agent} isWaiting={isWaiting} kind={kind} name={name} />
          )}
        </List>
        <article className="detail" tabIndex={-1} ref={detail} aria-label="What is decided">
          {notBack !== undefined && (
            <div className="px-8 pt-4">
              <ProblemBox title="Not taken back." error={notBack} safe="The change still holds." />
            </div>
          )}
          {current && isReady && (
            <Shown
              key={current}
              agent={agent}
              name={name}
              id={current}
              row={shownRow}
              paused={picked.length > 0}
              onDecided={onDecided}
              onHold={setItem}
            />
          )}
          {picked.length > 0 && (
            <footer className="decide">
              <span className="soft">
                {picked.length} selected: you decide on them in the list.{" "}
                <button type="button" className="link" onClick={() => setChosen(NONE)}>
                  Select none
                </button>
              </span>
            </footer>
          )}
        </article>
      </div>
    </>
  );
}

type ShownProps = {
  agent: string;
  name: string;
  id: string;
  row?: Row;
  paused: boolean;
  onDecided: (id: string, words: string, changes: number[]) => void;
  onHold: (id: string) => void;
};

function Shown({ agent, name, id, row, paused, onDecided, onHold }: ShownProps) {
  // A link may lead to a conflict that was settled, which the list of what waits does not have.
  const settled = useQuery({ ...decidedConflicts(agent), enabled: !row });
  const conflict = row?.conflict ?? settled.data?.conflicts.find((each) => each.conflict === id);
  if (conflict)
    return <ConflictDetail agent={agent} name={name} of={conflict} paused={paused} onDecided={onDecided} />;
  if (!row && settled.isPending) return <Loading />;
  return <ProposalDetail agent={agent} id={id} paused={paused} onDecided={onDecided} onHold={onHold} />;
}

type NothingProps = { agent: string; isWaiting: boolean; kind: string; name: string };

function Nothing({ agent, isWaiting, kind, name }: NothingProps) {
  const lines = useQuery({ ...schedule(agent), enabled: isWaiting }).data?.schedule ?? [];
  const next = lines
    .map((line) => line.next?.at ?? "")
    .filter(Boolean)
    .sort()[0];
  if (!isWaiting)
    return (
      <Empty icon="review" title="Nothing was decided yet">
        What you approve or reject is listed here, with what became of it.
      </Empty>
    );
  if (kind) return <Empty icon="filter" title="Nothing of this kind waits" />;
  return (
    <Empty
      icon="review"
      title="Nothing waits for you"
      action={
        <Link className="btn small" to={place("keepers")} params={{ agent }}>
          See the keepers
        </Link>
      }
    >
      {name}’s keepers ask here before they change the soul, your profile, or what you said.
      {next && ` The next run is ${moment(next)}.`}
    </Empty>
  );
}
