/** One proposal: what approval would change now, what it rests on, and the decision. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { onEvent } from "../../api/events";
import { proposal, queryClient } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Note } from "../../parts/Note";
import { ProblemBox } from "../../parts/ProblemBox";
import { Reading } from "../../parts/Reading";
import { useKeys } from "../../shell/keys";
import { Decided } from "./Decided";
import { Difference } from "./Difference";
import { approve, isSame, reject, type Whole } from "./deciding";
import { Editing } from "./Editing";
import { Head } from "./Head";
import { Quotes } from "./Quotes";
import { Rejecting } from "./Rejecting";
import { sentence } from "./rows";

type Props = {
  agent: string;
  id: string;
  /** Several are chosen: keys and decisions are theirs. */
  paused: boolean;
  /** It was decided: the words for the toast, and the changes that "Undo" takes back. */
  onDecided: (id: string, words: string, changes: number[]) => void;
  /** Its text is being edited, so that it must stay on the page. */
  onHold: (id: string) => void;
};

export function ProposalDetail(props: Props) {
  const { agent, id } = props;
  // Somebody else may decide while a text is typed: it stays.
  const [editing, setEditing] = useState(false);
  // Never from a cache: what is approved is what was shown.
  const asked = useQuery({ ...proposal(agent, id), staleTime: 0, gcTime: 0 });
  useEffect(
    () =>
      onEvent((event) => {
        if (event.kind === "change" && event.agent === agent)
          void queryClient.invalidateQueries({ queryKey: ["proposals", agent, "one", id] });
      }),
    [agent, id],
  );
  return (
    <Reading of={asked} what="Reading the proposal" lines={4}>
      {(now) =>
        now.state === "open" || editing ? (
          <Open {...props} now={now} onEdit={setEditing} />
        ) : (
          <Decided agent={agent} of={now} />
        )
      }
    </Reading>
  );
}

type OpenProps = Props & { now: Whole; onEdit: (editing: boolean) => void };

function Open({ agent, id, paused, onDecided, onHold, now, onEdit }: OpenProps) {
  // What is shown stays until the person asks for what is new, however often the server tells of changes.
  const [shown, setShown] = useState(now);
  const [again, setAgain] = useState(false);
  const [mode, setMode] = useState<"look" | "edit" | "reject">("look");
  const [drafts, setDrafts] = useState<Record<string, string>>({});
  const [theirs, setTheirs] = useState<Record<string, string>>({});
  const isNews = !isSame(now, shown);
  const canEdit = !shown.problem && shown.previews.length > 0 && shown.previews.every((e) => e.text !== null);

  const lookAgain = (fresh: Whole) => {
    setShown(fresh);
    setAgain(true);
    if (mode === "edit")
      setTheirs(Object.fromEntries(fresh.previews.map((each) => [each.path, each.text ?? ""])));
  };
  const approving = useMutation({
    mutationFn: (edited: Record<string, string> | undefined) => approve(agent, shown, edited),
    onSuccess: (result, edited) => {
      if ("now" in result) lookAgain(result.now);
      else {
        const change = result.done.change;
        onEdit(false);
        const words = edited ? "Approved with your words." : "Approved.";
        onDecided(id, `${words} It holds from the next reply.`, change ? [change] : []);
      }
    },
  });
  const rejecting = useMutation({
    mutationFn: (why: string) => reject(agent, id, why),
    onSuccess: () => onDecided(id, "Rejected. Nothing was changed.", []),
  });
  const busy = approving.isPending || rejecting.isPending;
  const yes = () => {
    if (busy) return;
    if (isNews) lookAgain(now);
    else if (!shown.problem) approving.mutate(undefined);
  };
  const texts = Object.fromEntries(
    shown.previews.map((each) => [each.path, drafts[each.path] ?? each.text ?? ""]),
  );
  const yesEdited = () => {
    if (busy) return;
    if (isNews) lookAgain(now);
    else approving.mutate(texts);
  };
  const edit = () => {
    if (!canEdit || busy) return;
    if (isNews) lookAgain(now);
    onHold(id);
    onEdit(true);
    setMode("edit");
  };
  const leave = () => {
    setMode("look");
    onEdit(false);
  };
  const looking = mode === "look" && !paused;
  useKeys(
    looking
      ? [
          ...(shown.problem ? [] : [{ keys: "a", does: "Approve", run: yes }]),
          ...(canEdit ? [{ keys: "e", does: "Edit, then approve", run: edit }] : []),
          { keys: "r", does: "Reject", run: () => setMode("reject") },
        ]
      : mode === "edit"
        ? [
            { keys: "mod+s", does: "Approve the edited text", run: yesEdited },
            { keys: "escape", does: "Back to the proposal", run: () => leave() },
          ]
        : [],
  );

  const hasDraft = shown.previews.some((e) => drafts[e.path] !== undefined && drafts[e.path] !== e.text);
  return (
    <>
      <div className="inner">
        <Head of={shown} />
        {(again || isNews) && (
          <div className="mb-4" role="status">
            <Note look="conflict">
              {now.state !== "open"
                ? `It was ${now.state} meanwhile. Your text is still here: copy what you need.`
                : isNews
                  ? "The file has changed since you opened this. "
                  : mode === "edit"
                    ? "The file has changed since you looked. Your text is still here: bring both together, then approve."
                    : "The file has changed since you looked. This is what approval would do now. Approve again if you agree."}
              {isNews && now.state === "open" && (
                <button type="button" className="link" onClick={() => lookAgain(now)}>
                  Show what it would do now
                </button>
              )}
            </Note>
          </div>
        )}
        {shown.problem && (
          <div className="mb-4">
            <Note look="danger">{sentence(shown.problem)}</Note>
          </div>
        )}
        {approving.isError && (
          <div className="mb-4">
            <ProblemBox
              title="Not approved."
              error={approving.error}
              safe={mode === "edit" ? "Your text is still here." : "Nothing was changed."}
            />
          </div>
        )}
        {rejecting.isError && (
          <div className="mb-4">
            <ProblemBox title="Not rejected." error={rejecting.error} safe="It still waits." />
          </div>
        )}
        {mode === "edit" ? (
          <Editing
            of={shown}
            texts={texts}
            theirs={theirs}
            onChange={(path, text) => setDrafts((old) => ({ ...old, [path]: text }))}
            onSave={yesEdited}
          />
        ) : (
          <>
            {shown.diff && <Difference agent={agent} of={shown} />}
            {shown.warnings.length > 0 && (
              <div className="warnings">
                {shown.warnings.map((each) => (
                  <Note key={each} look="conflict">
                    {sentence(each)}
                  </Note>
                ))}
              </div>
            )}
            <Quotes agent={agent} of={shown.evidence} />
          </>
        )}
      </div>
      {!paused && (
        <footer className="decide">
          {mode === "reject" ? (
            <Rejecting
              busy={busy}
              onReject={(why) => rejecting.mutate(why)}
              onClose={() => setMode("look")}
            />
          ) : mode === "edit" ? (
            <>
              <Button look="main" icon="check" keys="mod+S" disabled={busy} onClick={yesEdited}>
                Approve edited
              </Button>
              <Button keys="Esc" onClick={leave}>
                Back<span className="only-desk-text"> to the proposal</span>
              </Button>
            </>
          ) : (
            <>
              {!shown.problem && (
                <Button look="main" icon="check" keys="A" disabled={busy} onClick={yes}>
                  Approve
                </Button>
              )}
              {canEdit && (
                <Button icon="pen" keys="E" disabled={busy} onClick={edit}>
                  <span>
                    Edit<span className="only-desk-text">, then approve</span>
                  </span>
                </Button>
              )}
              <Button look="danger" icon="x" keys="R" disabled={busy} onClick={() => setMode("reject")}>
                Reject
              </Button>
              <span className="grow" />
              <span className="meta">
                {hasDraft ? "Your edited text is kept" : "Holds from the next reply"}
              </span>
            </>
          )}
        </footer>
      )}
    </>
  );
}
