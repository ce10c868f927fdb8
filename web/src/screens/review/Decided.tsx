/** A proposal that was decided: what it became, and the way to take it back. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { change, changes } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Diff } from "../../parts/Diff";
import { Note } from "../../parts/Note";
import { ProblemBox } from "../../parts/ProblemBox";
import { author, moment } from "../../words";
import { decided, takeBack, type Whole } from "./deciding";
import { Head } from "./Head";
import { Quotes } from "./Quotes";
import { isLog, sentence } from "./rows";

const LOOKED_THROUGH = 1000;

export function Decided({ agent, of }: { agent: string; of: Whole }) {
  const all = useQuery({ ...changes(agent, { limit: LOOKED_THROUGH }), enabled: of.state === "approved" });
  const list = all.data?.changes ?? [];
  const made = list.find((each) => each.notes.proposal === of.id && each.notes.approved_by);
  const back = made && list.find((each) => each.notes.reverts === String(made.change));
  const whole = useQuery({ ...change(agent, made?.change ?? 0), enabled: made !== undefined });
  // What logs tell of it need not be said again.
  const every = whole.data?.diffs ?? [];
  const own = every.filter((each) => !isLog(each.path));
  const diffs = own.length ? own : every;
  const undoing = useMutation({
    mutationFn: () => takeBack(agent, made ? [made.change] : []),
    onSuccess: () => decided(agent),
  });
  return (
    <>
      <div className="inner">
        <Head of={{ ...of, diff: whole.data?.diff ?? "" }} />
        <div className="mb-4">
          {of.state === "approved" ? (
            <Note look="ok">
              {made
                ? `Approved by ${author(made.notes.approved_by ?? "").replace("You", "you")}, ${moment(made.at)}.`
                : "Approved."}
              {back && ` Taken back, ${moment(back.at)}.`}
            </Note>
          ) : (
            <Note icon="x">
              {of.state === "rejected" ? "Rejected. Nothing was changed." : "Nobody decided in time."}{" "}
              {of.note && <span className="words block">{sentence(of.note)}</span>}
            </Note>
          )}
        </div>
        {undoing.isError && (
          <div className="mb-4">
            <ProblemBox title="Not taken back." error={undoing.error} safe="The change still holds." />
          </div>
        )}
        {diffs.map((each) => (
          <Diff key={each.path} diff={each.diff} />
        ))}
        {!whole.data && of.words.length > 0 && <p className="words proposed">{of.words.join("\n")}</p>}
        <Quotes agent={agent} of={of.evidence} />
      </div>
      {made && !back && (
        <footer className="decide">
          <Button icon="undo" disabled={undoing.isPending} onClick={() => undoing.mutate()}>
            Take back
          </Button>
          <span className="grow" />
          <span className="meta">Later changes stay</span>
        </footer>
      )}
    </>
  );
}
