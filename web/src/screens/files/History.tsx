/** What happened to a file: its changes with their differences, and who wrote each line. */
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useParam } from "../../address";
import type { Schemas } from "../../api/client";
import { change as changeQuery } from "../../api/queries";
import { diffOfUnified } from "../../diff";
import { Button } from "../../parts/Button";
import { Diff } from "../../parts/Diff";
import { Empty } from "../../parts/Empty";
import { Inspector } from "../../parts/Inspector";
import { ProblemBox } from "../../parts/ProblemBox";
import { Reading } from "../../parts/Reading";
import { Segmented } from "../../parts/Segmented";
import { toast } from "../../parts/Toast";
import { author, counted, moment, number, plainWords } from "../../words";
import { Blame } from "./Blame";
import { broken, undo } from "./drafts";
import { fileChanges } from "./reading";
import type { Opened } from "./useFile";

type Told = Schemas["ChangeTold"];
type Tab = "changes" | "blame";
type Props = { agent: string; path: string; file: Opened; mayWrite: boolean };

export function History({ agent, path, file, mayWrite }: Props) {
  const [tab, setTab] = useParam("tab", "changes");
  return (
    <Inspector
      title="History"
      head={
        <Segmented<Tab>
          label="History of the file"
          value={tab === "blame" ? "blame" : "changes"}
          choices={[
            { value: "changes", label: "Changes" },
            { value: "blame", label: "Blame" },
          ]}
          onChange={setTab}
        />
      }
    >
      {tab === "blame" ? (
        <Blame agent={agent} path={path} isTyped={file.draft !== undefined} />
      ) : (
        <Changes agent={agent} path={path} mayWrite={mayWrite} />
      )}
    </Inspector>
  );
}

function Changes({ agent, path, mayWrite }: { agent: string; path: string; mayWrite: boolean }) {
  const query = useInfiniteQuery(fileChanges(agent, path));
  const [chosen, setChosen] = useParam("change");
  const all = query.data?.pages.flatMap((page) => page.changes) ?? [];
  if (query.isError && !query.data)
    return (
      <div className="p-4">
        <ProblemBox error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  if (query.data && !all.length)
    return (
      <Empty icon="keepers" title="No changes yet">
        Whoever changes this file, you see it here, and can take it back.
      </Empty>
    );
  return (
    <ul className="history">
      {all.map((each) => (
        <One
          key={each.change}
          agent={agent}
          path={path}
          told={each}
          isOpen={chosen === String(each.change)}
          mayWrite={mayWrite}
          onToggle={() => setChosen(chosen === String(each.change) ? "" : String(each.change))}
        />
      ))}
      {query.hasNextPage && (
        <li className="more">
          <Button size="small" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show earlier changes
          </Button>
        </li>
      )}
    </ul>
  );
}

/** How many entries (or lines outside of entries) came and went, where the change is of this file alone. */
function counts(told: Told): [number, number] | null {
  if (told.files.length !== 1 || !told.what.length) return null;
  const lines = /^~ .+: (\d+) lines? added, (\d+) removed$/.exec(told.what[0] ?? "");
  if (lines && told.what.length === 1) return [Number(lines[1]), Number(lines[2])];
  if (told.what.some((line) => !/^[+~-] /.test(line) || /^~ .* (archived|moved)$/.test(line))) return null;
  const come = told.what.filter((line) => !line.startsWith("-")).length;
  const gone = told.what.filter((line) => !line.startsWith("+")).length;
  return [come, gone];
}

function words(told: Told): string {
  const first = told.what[0];
  // Of several files it is not said which line is of which, so the reason speaks.
  if (!first || told.files.length > 1) return sentence(told.reason);
  const rest = told.what.length - 1;
  const said = plainWords(first.replace(/^[+~-] /, "").replace(/^[^:\s]+\.md: (?=\d+ lines? added)/, ""));
  return rest ? `${said.replace(/\.$/, "")}, and ${number(rest)} more` : said;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function from(told: Told): string {
  const said = told.evidence.map((each) => /^m:(\d+)$/.exec(each.ref)?.[1]).filter(Boolean);
  if (!said.length) return "";
  return said.length === 1 ? `from message ${said[0]}` : `from ${counted(said.length, "message")}`;
}

type OneProps = {
  agent: string;
  path: string;
  told: Told;
  isOpen: boolean;
  mayWrite: boolean;
  onToggle: () => void;
};

function One({ agent, path, told, isOpen, mayWrite, onToggle }: OneProps) {
  const found = counts(told);
  const [come, gone] = found ?? [0, 0];
  return (
    <li className={isOpen ? "open" : ""}>
      <button type="button" className="what" aria-expanded={isOpen} onClick={onToggle}>
        <span className="row">
          <b className="strong grow">{author(told.author)}</b>
          {found && (
            <span className="num plus-minus">
              <ins aria-hidden="true">+{come}</ins> <del aria-hidden="true">−{gone}</del>
              <span className="hidden-text">
                {come} added, {gone} removed
              </span>
            </span>
          )}
        </span>
        <span className="said">{words(told)}</span>
        <span className="meta">{[moment(told.at), from(told)].filter(Boolean).join(", ")}</span>
      </button>
      {isOpen && <Inside agent={agent} path={path} told={told} mayWrite={mayWrite} />}
    </li>
  );
}

function Inside({ agent, path, told, mayWrite }: Pick<OneProps, "agent" | "path" | "told" | "mayWrite">) {
  const query = useQuery(changeQuery(agent, told.change));
  const [compared, setCompared] = useParam("with");
  const number = told.change;
  const back = useMutation({
    mutationFn: () => undo(agent, number),
    onSuccess: (made) =>
      toast("Taken back.", () => void undo(agent, made.change).catch((error) => broken(path, error))),
  });
  const others = told.files.filter((each) => each.path !== path).length;
  return (
    <div className="inside-change">
      <Reading of={query} what="Reading the change" lines={1}>
        {({ diffs }) => {
          const diff = diffs.find((each) => each.path === path)?.diff ?? "";
          return diffOfUnified(diff).length ? (
            <div className="mini">
              <Diff diff={diff} />
            </div>
          ) : (
            <p className="muted">What it changed is no longer kept.</p>
          );
        }}
      </Reading>
      {others > 0 && <p className="meta">It also changed {counted(others, "other file")}.</p>}
      {back.isError && (
        <ProblemBox title="Not taken back." error={back.error} safe="The file is as it was." />
      )}
      <div className="row wrap">
        {mayWrite && (
          <Button size="small" icon="undo" disabled={back.isPending} onClick={() => back.mutate()}>
            Undo this change
          </Button>
        )}
        <Button
          size="small"
          look="quiet"
          aria-pressed={compared === String(number)}
          onClick={() => setCompared(compared === String(number) ? "" : String(number), true)}
        >
          Compare
        </Button>
      </div>
    </div>
  );
}
