/** Memory: all entries as a table, and what is known of the one that was chosen. */
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { type Search, useAgent, useParam } from "../../address";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Inspector, useInspector } from "../../parts/Inspector";
import { Loading } from "../../parts/Loading";
import { ProblemBox } from "../../parts/ProblemBox";
import { TopBar } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { useKeys } from "../../shell/keys";
import { counted } from "../../words";
import { Filters } from "./Filters";
import { RememberForm } from "./Forms";
import { Inspected } from "./Inspected";
import { type Entry, useEntries, useInConflict, useWanted } from "./list";
import { Table } from "./Table";
import "./memory.css";

export default function Memory() {
  const agent = useAgent();
  const name = useAgentName(agent);
  const wanted = useWanted();
  const [entry] = useParam("entry");
  const [path] = useParam("path");
  const goTo = useGoTo();
  const [open, setOpen] = useInspector();
  const [adding, setAdding] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [range, setRange] = useState({ first: 0, last: 0 });
  const field = useRef<HTMLInputElement>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const inConflict = useInConflict(agent);
  const { head, total, at, find } = useEntries(agent, wanted.query, range.first, range.last);
  const chosen = entry ? find(entry, path) : -1;

  const onRange = useCallback((first: number, last: number) => setRange({ first, last }), []);
  const choose = useCallback(
    (each: Entry) => {
      setAdding(false);
      void goTo(each.entry, each.path);
      setOpen(true);
    },
    [goTo, setOpen],
  );
  // An address that names an entry shows it, on a phone too.
  useEffect(() => {
    if (entry) setOpen(true);
  }, [entry, setOpen]);
  const step = (by: number) => {
    const next = at(chosen < 0 ? range.first : Math.min(Math.max(chosen + by, 0), total - 1));
    if (next) choose(next);
  };
  const add = () => {
    setAdding(true);
    setOpen(true);
  };
  useKeys([
    { keys: "j", does: "Next entry", run: () => step(1) },
    { keys: "k", does: "Previous entry", run: () => step(-1) },
    { keys: "/", does: "Find in memory", run: () => field.current?.focus() },
    { keys: "n", does: "Remember something", run: add },
  ]);
  // A list that was narrowed begins at its top.
  const asked = JSON.stringify(wanted.query);
  useEffect(() => {
    if (asked) scroll.current?.scrollTo({ top: 0 });
  }, [asked]);
  const phone = usePhone();
  const beside = open && (adding || entry !== "");
  const fact = head.data
    ? wanted.filtered
      ? `${counted(total, "entry", "entries")} of this kind`
      : counted(total, "entry", "entries")
    : undefined;

  return (
    <>
      <TopBar title="Memory" fact={fact}>
        <Button look="main" icon="plus" keys="N" onClick={add}>
          Remember
        </Button>
      </TopBar>
      <div className="body memory">
        <section className="grow pane" aria-label="All entries">
          <Filters agent={agent} wanted={wanted} field={field} />
          {problem !== undefined && (
            <div className="p-4">
              <ProblemBox title="Not undone." error={problem} safe="Nothing was lost." />
            </div>
          )}
          <section ref={scroll} className="scroll rows" aria-label="Entries" tabIndex={-1}>
            {head.data === undefined ? (
              head.isError ? (
                <div className="p-4">
                  <ProblemBox error={head.error} onRetry={() => void head.refetch()} />
                </div>
              ) : (
                <Loading what={`Reading what ${name} remembers`} lines={8} />
              )
            ) : total === 0 ? (
              <Nothing name={name} filtered={wanted.filtered} onAdd={add} />
            ) : (
              <Table
                agent={name}
                scroll={scroll}
                total={total}
                at={at}
                chosen={chosen}
                wanted={wanted}
                wide={!beside && !phone}
                inConflict={inConflict}
                onChoose={choose}
                onRange={onRange}
              />
            )}
          </section>
        </section>
        {adding ? (
          <Inspector title="Remember">
            <div className="inspected">
              <RememberForm
                agent={agent}
                onClose={() => setAdding(false)}
                onProblem={setProblem}
                onMade={(made, file) => {
                  setAdding(false);
                  void goTo(made, file);
                }}
              />
            </div>
          </Inspector>
        ) : (
          entry && (
            <Inspector title={at(chosen)?.tag ?? "entry"}>
              <Inspected
                agent={agent}
                name={name}
                entry={entry}
                path={path}
                conflict={inConflict(entry)}
                onGone={() => goTo("", "")}
              />
            </Inspector>
          )
        )}
      </div>
    </>
  );
}

const narrow = window.matchMedia("(max-width: 640px)");

function usePhone(): boolean {
  return useSyncExternalStore(
    (changed) => {
      narrow.addEventListener("change", changed);
      return () => narrow.removeEventListener("change", changed);
    },
    () => narrow.matches,
  );
}

/** Choose an entry in the address, with its file, at once. */
function useGoTo(): (entry: string, path: string) => Promise<void> {
  const navigate = useNavigate();
  return useCallback(
    (entry, path) =>
      navigate({
        to: ".",
        search: ((old: Search) => ({ ...old, entry, path })) as never,
        replace: true,
      }),
    [navigate],
  );
}

function Nothing({ name, filtered, onAdd }: { name: string; filtered: boolean; onAdd: () => void }) {
  const [, clearWords] = useParam("q");
  if (filtered)
    return (
      <Empty
        icon="filter"
        title="No entry is like that"
        action={<Button onClick={() => clearWords("")}>Clear the words</Button>}
      >
        Take a filter away, or look for other words.
      </Empty>
    );
  return (
    <Empty
      icon="memory"
      title={`${name} remembers nothing yet`}
      action={<Button onClick={onAdd}>Remember something</Button>}
    >
      What {name} learns from conversations comes here, at the next run of the keepers.
    </Empty>
  );
}
