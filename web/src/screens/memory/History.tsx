/** How an entry came here: each change, who made it, when, and what it rests on. The newest can be undone. */
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { place } from "../../address";
import type { Schemas } from "../../api/client";
import { Button } from "../../parts/Button";
import { ProblemBox } from "../../parts/ProblemBox";
import { messageOf, wordsOf } from "../../remembered";
import { audienceOf, author, moment } from "../../words";
import { undo } from "./deeds";

type Change = Schemas["EntryChange"];
const FEW = 6;

function deedOf(change: Change): string {
  if (change.before === null) return "Learnt";
  if (change.after === null) return "Taken out";
  if (change.before === change.after) return "Mentioned again";
  return /correct|put right/i.test(change.reason) ? "Put right" : "Reworded";
}

export function History({ agent, changes }: { agent: string; changes: readonly Change[] }) {
  const back = useMutation({ mutationFn: (number: number) => undo(agent, number) });
  return (
    <section aria-label="How it came here" className="grid gap-2">
      <h3 className="label">How it came here</h3>
      {changes.length === 0 && <p className="text-12 text-muted">It was there before the history began.</p>}
      <ol className="past">
        {changes.slice(0, FEW).map((change, i) => (
          <li key={change.change} className={deedOf(change) === "Put right" ? "right" : ""}>
            <div className="row items-baseline">
              <span className="grow">
                <b className="strong">{deedOf(change)}</b> by {by(change.author)}
              </span>
              <time className="text-12 text-muted" dateTime={change.at}>
                {moment(change.at)}
              </time>
            </div>
            <Words change={change} />
            {change.evidence.map((each) => (
              <Rests key={`${each.ref} ${each.quote}`} agent={agent} evidence={each} />
            ))}
            {i === 0 && change.before !== null && change.before !== change.after && (
              <Button
                size="small"
                look="quiet"
                icon="undo"
                disabled={back.isPending}
                onClick={() => back.mutate(change.change)}
              >
                Undo this change
              </Button>
            )}
          </li>
        ))}
      </ol>
      {changes.length > FEW && (
        <p className="text-12 text-muted">
          {changes.length - FEW} earlier changes are in the history of its file.
        </p>
      )}
      {back.isError && <ProblemBox title="Not undone." error={back.error} safe="Nothing was changed." />}
    </section>
  );
}

function by(text: string): string {
  const who = author(text);
  return who === "You" ? "you" : who === "On disk" ? "an edit on disk" : who;
}

/** What differs between two wordings, without what both begin and end with. */
function differing(before: string, after: string): [string, string] {
  const a = before.split(" ");
  const b = after.split(" ");
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const bare = (words: string[]) => words.join(" ").replace(/[,;.]$/, "");
  return [bare(a.slice(start, a.length - end)), bare(b.slice(start, b.length - end))];
}

/** What it said before, and what it says since. */
function Words({ change }: { change: Change }) {
  if (change.before === null || change.after === null) return null;
  const [before, after] = differing(wordsOf(change.before), wordsOf(change.after));
  if (!before && !after) return null;
  return (
    <p className="soft words">
      {before || "nothing"} <span className="hidden-text">became</span>
      <span aria-hidden="true">→</span> {after || "nothing"}
    </p>
  );
}

function Rests({ agent, evidence }: { agent: string; evidence: Schemas["EvidenceShown"] }) {
  const number = messageOf(evidence.ref);
  if (!evidence.quote && !number) return null;
  const { reach } = audienceOf(evidence.audience);
  const look = reach === "room" ? "is-room" : reach === "public" ? "" : "is-private";
  return (
    <blockquote className={`quote ${look}`}>
      <div>
        {evidence.quote && <p className="words">{wordsOf(evidence.quote)}</p>}
        {number > 0 && (
          <Link
            to={place("chat")}
            params={{ agent }}
            search={{ message: String(number) } as never}
            className="link text-12"
          >
            Open conversation
          </Link>
        )}
      </div>
    </blockquote>
  );
}
