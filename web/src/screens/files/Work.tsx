/** The middle of Files: the editor and the preview, or what is shown instead; below it, what there is to say. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { useParam } from "../../address";
import { api, type Schemas } from "../../api/client";
import { Problem } from "../../api/problem";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Icon } from "../../parts/Icon";
import { Loading } from "../../parts/Loading";
import { ProblemBox } from "../../parts/ProblemBox";
import { toast } from "../../parts/Toast";
import { useStore } from "../../store";
import { Compare } from "./Compare";
import { broken, drop, lastSaved, put, save, tell, undo, wentWrong } from "./drafts";
import { hasTemplate } from "./kinds";
import { Merge } from "./Merge";
import { Panes } from "./Panes";
import type { Opened } from "./useFile";

type Props = {
  agent: string;
  path: string;
  file: Opened;
  editable: boolean;
  mayWrite: boolean;
  phone: boolean;
  isAsking: boolean;
  onAsked: () => void;
  guard: ReactNode;
  onOpen: (path: string) => void;
};

export function Work({
  agent,
  path,
  file,
  editable,
  mayWrite,
  phone,
  isAsking,
  onAsked,
  guard,
  onOpen,
}: Props) {
  const [compared, setCompared] = useParam("with");
  const [line, setLine] = useParam("line");
  const { draft, query, standing } = file;
  const missing = !draft && Problem.from(query.error ?? undefined).status === 404;
  const show = () => {
    const at = file.takeNews();
    if (at) setLine(String(at));
  };
  const reset = useReset(agent, path, file);
  return (
    <div className="work">
      {isAsking && (
        <Ask path={path} isTyped={draft !== undefined} onDo={() => reset.mutate()} onClose={onAsked} />
      )}
      {missing ? (
        <Missing path={path} mayWrite={mayWrite} isBusy={reset.isPending} onMake={() => reset.mutate()} />
      ) : !file.base ? (
        query.isError ? (
          <div className="p-4">
            <ProblemBox error={query.error} onRetry={() => void query.refetch()} />
          </div>
        ) : (
          <Loading what={`Reading ${path}`} lines={5} />
        )
      ) : draft?.merging ? (
        <Merge draft={draft} merging={draft.merging} news={file.news} />
      ) : compared ? (
        <Compare
          agent={agent}
          path={path}
          number={Number(compared)}
          now={file.text}
          onClose={() => setCompared("")}
        />
      ) : (
        <Panes
          key={path}
          agent={agent}
          path={path}
          file={file}
          editable={editable}
          phone={phone}
          line={Number(line)}
          onOpen={onOpen}
        />
      )}
      <div className="strips">
        {standing && !standing.is_text && (
          <Strip look="plain">
            This file has bytes that are not text, so it can be read here and not saved.
          </Strip>
        )}
        {!draft && file.theirs.length > 0 && (
          <p className="hidden-text" role="status">
            The file was changed; the editor shows it as it is now.
          </p>
        )}
        <Said path={path} />
        {reset.isError && <ProblemBox title="Not reset." error={reset.error} safe="The file is as it was." />}
        {draft?.problem && <Refused draft={draft} />}
        {file.news && !draft?.merging && (
          <Strip
            look="proposal"
            action={
              <Button look="quiet" size="small" onClick={show}>
                Show
              </Button>
            }
          >
            {file.news} while you were typing. Your text is untouched.
          </Strip>
        )}
        {guard}
      </div>
    </div>
  );
}

type StripProps = { look: "plain" | "proposal" | "conflict"; action?: ReactNode; children: ReactNode };

function Strip({ look, action, children }: StripProps) {
  return (
    <div className={`strip ${look}`} role="status">
      <Icon name={look === "proposal" ? "plus" : "info"} />
      <span className="grow">{children}</span>
      {action}
    </div>
  );
}

/** A save that was refused: why, and that the text is still here. */
function Refused({ draft }: { draft: NonNullable<Opened["draft"]> }) {
  const { problem } = draft;
  const again = problem?.status === 0 || (problem?.status ?? 0) >= 500 || problem?.status === 409;
  return (
    <ProblemBox
      title="Not saved."
      error={problem}
      safe="Your text is still here."
      onRetry={again ? () => void save(draft.agent, draft.path) : undefined}
    >
      <Button size="small" look="quiet" icon="copy" onClick={() => void copy(draft.text)}>
        Copy my text
      </Button>
    </ProblemBox>
  );
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  toast("Copied.");
}

/** What the last save did besides, and a deed of a toast that failed. */
function Said({ path }: { path: string }) {
  const saved = useStore(lastSaved);
  const wrong = useStore(wentWrong);
  return (
    <>
      {saved?.path === path && (
        <Strip
          look="conflict"
          action={
            <Button look="quiet" size="small" icon="x" label="Close" onClick={() => lastSaved.set(null)} />
          }
        >
          Saved; {saved.notes.join("; ")}.
        </Strip>
      )}
      {wrong?.path === path && (
        <ProblemBox title="Not taken back." error={wrong.problem}>
          <Button size="small" look="quiet" onClick={() => wentWrong.set(null)}>
            Close
          </Button>
        </ProblemBox>
      )}
    </>
  );
}

type AskProps = { path: string; isTyped: boolean; onDo: () => void; onClose: () => void };

function Ask({ path, isTyped, onDo, onClose }: AskProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.querySelector("button")?.focus();
  }, []);
  return (
    <div
      className="strip conflict ask"
      role="alertdialog"
      aria-label={`Reset ${path}`}
      ref={place}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <Icon name="alert" />
      <span className="grow">
        Replace what <span className="file">{path}</span> says by its template? The history keeps it
        {isTyped ? "; what is not saved goes" : ""}.
      </span>
      <Button
        size="small"
        onClick={() => {
          onClose();
          onDo();
        }}
      >
        Reset {path}
      </Button>
      <Button size="small" look="quiet" onClick={onClose}>
        Keep it
      </Button>
    </div>
  );
}

/** Reset to the template; undo brings back the file, and what was typed. */
function useReset(agent: string, path: string, file: Opened) {
  const { draft, standing } = file;
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await api.POST("/api/workspace/{agent_name}/file/{filename}/reset", {
        params: {
          path: { agent_name: agent, filename: path },
          header: standing && file.exists ? { "if-match": standing.etag } : {},
        },
      });
      return { ...(data as Schemas["SavedFile"]), etag: response.headers.get("etag") ?? "" };
    },
    onSuccess: (made) => {
      drop(agent, path);
      tell(agent, path, made);
      const { change } = made;
      const back = async (number: number) => {
        await undo(agent, number);
        if (draft) put({ ...draft, problem: undefined });
      };
      toast(
        `${path} is as its template.`,
        change === null ? undefined : () => void back(change).catch((error) => broken(path, error)),
      );
    },
  });
}

type MissingProps = { path: string; mayWrite: boolean; isBusy: boolean; onMake: () => void };

function Missing({ path, mayWrite, isBusy, onMake }: MissingProps) {
  const canMake = mayWrite && hasTemplate(path);
  return (
    <div className="scroll">
      <Empty
        icon="files"
        title={`There is no ${path}`}
        action={
          canMake && (
            <Button disabled={isBusy} onClick={onMake}>
              Make it from its template
            </Button>
          )
        }
      >
        {canMake
          ? "It was removed, or never made."
          : "It was removed or moved, or a word in the address is misspelt."}
      </Empty>
    </div>
  );
}
