/** The files of the workspace. Only the rows in sight are drawn, so that thousands stay quick. */
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { Field } from "../../parts/Field";
import { Icon } from "../../parts/Icon";
import { Loading } from "../../parts/Loading";
import { ProblemBox } from "../../parts/ProblemBox";
import { TreeItem } from "../../parts/TreeItem";
import { useKeys } from "../../shell/keys";
import { counted } from "../../words";
import { useDrafts } from "./drafts";
import { allDays, allFiles } from "./reading";
import { type Folds, type Leaf, type Row, rowsOf } from "./tree";

type Props = {
  agent: string;
  chosen: string;
  words: string;
  onWords: (words: string) => void;
  onOpen: (path: string) => void;
};

/** From so many files on, the field that filters them is always there; else `/` shows it. */
const MANY = 100;
const HEIGHTS = { leaf: 28, more: 28, group: 32, rule: 17 };
const PHONE_HEIGHTS = { leaf: 44, more: 44, group: 44, rule: 17 };

export function Tree({ agent, chosen, words, onWords, onOpen }: Props) {
  const files = useQuery(allFiles(agent));
  const days = useQuery(allDays(agent));
  const [folds, setFolds] = useState<Folds>({ opened: {}, whole: {} });
  const [finding, setFinding] = useState(false);
  const drafts = useDrafts();
  const scroller = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLDivElement>(null);
  const rows = useMemo(
    () => (files.data ? rowsOf(files.data, days.data ?? [], folds, chosen, words) : []),
    [files.data, days.data, folds, chosen, words],
  );
  const leaves = useMemo(() => rows.filter((row): row is Leaf => row.row === "leaf"), [rows]);
  const phone = window.matchMedia("(max-width: 640px)").matches;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => (phone ? PHONE_HEIGHTS : HEIGHTS)[rows[i]?.row ?? "leaf"],
    overscan: 12,
  });
  useEffect(() => {
    if (rows.length) virtual.measure(); // rows of other heights stand at these places now
  }, [rows, virtual]);

  const at = rows.findIndex((row) => row.row === "leaf" && row.path === chosen);
  const sought = useRef("");
  useEffect(() => {
    const seeking = `${chosen} ${words}`;
    if (at < 0 || sought.current === seeking) return;
    sought.current = seeking; // once: the tree does not jump when files come and go
    virtual.scrollToIndex(at, { align: "auto" });
  }, [at, chosen, words, virtual]);

  const step = (by: number) => {
    const now = leaves.findIndex((each) => each.path === chosen);
    const next = leaves[Math.min(leaves.length - 1, Math.max(0, now + by))];
    if (next && next.path !== chosen) onOpen(next.path);
  };
  const showField = finding || words !== "" || (files.data?.length ?? 0) > MANY;
  useEffect(() => {
    if (finding) field.current?.querySelector("input")?.focus();
  }, [finding]);
  useKeys([
    { keys: "j", does: "Next file", run: () => step(1) },
    { keys: "k", does: "Previous file", run: () => step(-1) },
    {
      keys: "/",
      does: "Find a file",
      run: () => {
        setFinding(true);
        field.current?.querySelector("input")?.focus();
      },
    },
  ]);

  const one = (row: Row) => {
    if (row.row === "rule") return <hr />;
    if (row.row === "group")
      return (
        <button
          type="button"
          className="grp"
          aria-expanded={row.open}
          onClick={() => setFolds({ ...folds, opened: { ...folds.opened, [row.id]: !row.open } })}
        >
          <Icon name={row.open ? "down" : "right"} size="s" />
          {row.name}
          <span className="grow" />
          <span className="num">{row.aside}</span>
        </button>
      );
    if (row.row === "more")
      return (
        <TreeItem
          icon="more"
          name={<span className="muted">{row.count} more</span>}
          onOpen={() => setFolds({ ...folds, whole: { ...folds.whole, [row.id]: true } })}
        />
      );
    return (
      <TreeItem
        icon={row.icon}
        name={row.name}
        title={row.name === row.path ? undefined : row.path}
        chosen={row.path === chosen}
        unsaved={drafts.has(`${agent}/${row.path}`)}
        end={<End of={row} />}
        onOpen={() => onOpen(row.path)}
      />
    );
  };

  return (
    <nav className="tree files-tree" aria-label="Files">
      {showField && (
        <div className="find-file" ref={field}>
          <Field
            label="Find a file"
            quiet
            placeholder="Find a file"
            value={words}
            onChange={(event) => onWords(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              onWords("");
              setFinding(false);
            }}
          />
        </div>
      )}
      {files.isError && !files.data ? (
        <ProblemBox error={files.error} onRetry={() => void files.refetch()} />
      ) : !files.data ? (
        <Loading what="Reading the files" lines={4} />
      ) : rows.length === 0 ? (
        <p className="muted none">No file has these words.</p>
      ) : (
        <div className="rows" ref={scroller}>
          <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
            {virtual.getVirtualItems().map((item) => {
              const row = rows[item.index];
              return row ? (
                <div
                  key={row.row === "leaf" ? row.path : `${row.row} ${"id" in row ? row.id : ""}`}
                  className="at"
                  style={{ height: item.size, transform: `translateY(${item.start}px)` }}
                >
                  {one(row)}
                </div>
              ) : null;
            })}
          </div>
        </div>
      )}
    </nav>
  );
}

function End({ of }: { of: Leaf }) {
  if (of.count !== undefined)
    return (
      <span className="num">
        <span aria-hidden="true">{of.count}</span>
        <span className="hidden-text">{counted(of.count, "entry", "entries")}</span>
      </span>
    );
  if (!of.editable) return null;
  return (
    <>
      <Icon name="pen" size="s" />
      <span className="hidden-text">can be edited</span>
    </>
  );
}
