/** Memory: all entries as a table, and what is known of the one that was chosen. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { type Search, useAgent, useParam } from "../../address";
import { entries } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Inspector, useInspector } from "../../parts/Inspector";
import { Loading } from "../../parts/Loading";
import { ProblemBox } from "../../parts/ProblemBox";
import { TopBar } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { useKeys } from "../../shell/keys";
import { counted } from "../../words";
import { oneEntry } from "./deeds";
import { Filters } from "./Filters";
import { RememberForm } from "./Forms";
import { Inspected } from "./Inspected";
import { type Entry, PAGE, useInConflict, useWanted } from "./list";
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
  const field = useRef<HTMLInputElement>(null);
  const inConflict = useInConflict(agent);
  const head = useQuery(entries(agent, { ...wanted.query, limit: PAGE }));
  const whole = useQuery({ ...oneEntry(agent, entry, path), enabled: false });

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
  const add = () => {
    setAdding(true);
    setOpen(true);
  };
  useKeys([
    { keys: "/", does: "Find in memory", run: () => field.current?.focus() },
    { keys: "n", does: "Remember something", run: add },
  ]);
  const phone = usePhone();
  const beside = open && (adding || entry !== "");
  // What was counted before a filter changed is not said of what is asked for now.
  const count = head.isPlaceholderData ? undefined : head.data?.total;
  const fact = count === undefined ? undefined : counted(count, "entry", "entries");

  return (
    <>
      <TopBar title="Memory" fact={fact && wanted.filtered ? `${fact} of this kind` : fact}>
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
          {head.data === undefined ? (
            head.isError ? (
              <div className="p-4">
                <ProblemBox error={head.error} onRetry={() => void head.refetch()} />
              </div>
            ) : (
              <Loading what={`Reading what ${name} remembers`} lines={8} />
            )
          ) : head.data.total === 0 ? (
            <Nothing name={name} filtered={wanted.filtered} onAdd={add} />
          ) : (
            <Table
              agent={agent}
              name={name}
              entry={entry}
              path={path}
              wanted={wanted}
              wide={!beside && !phone}
              inConflict={inConflict}
              onChoose={choose}
            />
          )}
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
            <Inspector title={whole.data?.tag ?? "entry"}>
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
