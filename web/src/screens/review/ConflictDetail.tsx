/** Two memories that disagree, side by side: keep one, the other, or both. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { place } from "../../address";
import { message } from "../../api/queries";
import { Audience } from "../../parts/Audience";
import { Button } from "../../parts/Button";
import { Confidence } from "../../parts/Confidence";
import { Evidence } from "../../parts/Evidence";
import { Kind } from "../../parts/Kind";
import { Meta } from "../../parts/Meta";
import { Note } from "../../parts/Note";
import { ProblemBox } from "../../parts/ProblemBox";
import { useKeys } from "../../shell/keys";
import { moment, nearDay, saidBy } from "../../words";
import { settle } from "./deciding";
import { whoSaid as whoWrote } from "./Quotes";
import { type Conflict, rowOfConflict, type Side, sentence, whoSaid } from "./rows";

type Props = {
  agent: string;
  name: string;
  of: Conflict;
  paused: boolean;
  onDecided: (id: string, words: string, changes: number[]) => void;
};

export function ConflictDetail({ agent, name, of, paused, onDecided }: Props) {
  const names = namesOf(of.sides);
  const settling = useMutation({
    mutationFn: (keep: string) => settle(agent, of.conflict, keep),
    onSuccess: (made, keep) =>
      onDecided(of.conflict, keep === "both" ? "Both are kept." : "Settled. It holds from the next reply.", [
        made.change,
      ]),
  });
  const isOpen = of.state === "open";
  const keep = (ref: string) => {
    if (ref && !settling.isPending) settling.mutate(ref);
  };
  const choices = of.sides.map((side, i) => ({ ref: side.ref, key: String(i + 1), label: names[i] ?? "" }));
  useKeys(
    isOpen && !paused
      ? [
          ...choices.map((each) => ({
            keys: each.key,
            does: `Keep ${each.label}`,
            run: () => keep(each.ref),
          })),
          { keys: "b", does: "Keep both", run: () => keep("both") },
        ]
      : [],
  );
  return (
    <>
      <div className="inner wide">
        <Meta>
          <Kind look="conflict" icon="split">
            Conflict
          </Kind>
          {`conflict-detector, ${moment(rowOfConflict(of).at)}`}
          <span className="file only-desk">{of.conflict}</span>
        </Meta>
        <h2 className="ttl">{isOpen ? "Which of the two holds?" : "Two memories disagreed"}</h2>
        <p className="soft why">{sentence(of.why)}</p>
        {settling.isError && (
          <div className="mb-4">
            <ProblemBox title="Not settled." error={settling.error} safe="Both still stand." />
          </div>
        )}
        {!isOpen && (
          <div className="mb-4">
            <Note look="ok">{outcome(of, names)}</Note>
          </div>
        )}
        <div className="claims">
          {of.sides.map((side, i) => (
            <Claim key={side.ref || side.text} agent={agent} side={side} title={titleOf(names[i] ?? "")} />
          ))}
        </div>
        {isOpen && (
          <>
            <h3 className="label ev">What each choice does</h3>
            <dl className="choices">
              {of.sides.map((side, i) => (
                <div key={side.ref || side.text}>
                  <dt>Keep {names[i]}</dt>
                  <dd>{effect(of.sides[1 - i], names[1 - i] ?? "the other")}</dd>
                </div>
              ))}
              <div>
                <dt>Keep both</dt>
                <dd>Both stay as they are, and {name} does not ask again.</dd>
              </div>
            </dl>
          </>
        )}
      </div>
      {isOpen && !paused && (
        <footer className="decide">
          {choices.map((each) => (
            <Button
              key={each.key}
              keys={each.key}
              disabled={settling.isPending || !each.ref}
              onClick={() => keep(each.ref)}
            >
              Keep {each.label}
            </Button>
          ))}
          <Button keys="B" disabled={settling.isPending} onClick={() => keep("both")}>
            Keep both
          </Button>
          <span className="grow" />
          <span className="meta">Holds from the next reply</span>
        </footer>
      )}
    </>
  );
}

/** What the two are called: by who said them where that tells them apart, else by their age. */
function namesOf(sides: readonly Side[]): string[] {
  const who = sides.map(whoSaid);
  if (who.every(Boolean) && new Set(who).size === sides.length)
    return who.map((each) => (each === "You" ? "yours" : `${each}’s`));
  const days = sides.map((side) => side.seen ?? "");
  if (days.every(Boolean) && days[0] !== days[1])
    return days.map((day, i) => (day > (days[1 - i] ?? "") ? "the newer" : "the older"));
  return ["the first", "the second"];
}

const titleOf = (name: string) =>
  name === "yours" ? "What you said" : name.endsWith("’s") ? `What ${name.slice(0, -2)} said` : capital(name);
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What becomes of the side that is not kept. */
function effect(other: Side | undefined, name: string): string {
  if (!other?.standing) return "The other is gone already. The conflict is closed.";
  if (!other.path)
    return `${capital(name)} stays in the conversation, and is no longer found. Nothing else changes.`;
  return `${capital(name)} is archived and no longer found. Undo brings it back.`;
}

function outcome(of: Conflict, names: readonly string[]): string {
  if (of.outcome.endsWith("both stay")) return "Both were kept.";
  const kept = of.sides.findIndex((side) => side.ref && of.outcome.includes(`${side.ref} stays`));
  return kept < 0 ? sentence(of.outcome) : `${titleOf(names[kept] ?? "")} was kept.`;
}

function Claim({ agent, side, title }: { agent: string; side: Side; title: string }) {
  const number = Number(/^m:(\d+)$/.exec(side.source)?.[1] ?? 0);
  const said = useQuery({ ...message(agent, number), enabled: number > 0 }).data;
  const { words } = saidBy(side);
  const where = side.path && side.line ? `${side.path}:${side.line}` : (side.path ?? "");
  return (
    <section className={`claim ${side.standing ? "" : "old"}`}>
      <h3 className="label">{title}</h3>
      <p className="words big">{words}</p>
      <Meta>
        {side.seen ? `last mentioned ${nearDay(side.seen)}` : null}
        {side.confidence !== null ? <Confidence of={side.confidence} /> : null}
        {side.audience ? <Audience of={side.audience} /> : null}
        {side.standing ? null : "no longer memory"}
      </Meta>
      {where && (
        <Link
          className="link file"
          to={place("files")}
          params={{ agent }}
          search={{ file: side.path ?? "", line: side.line ? String(side.line) : undefined }}
        >
          {where}
        </Link>
      )}
      {said && (
        <Evidence
          quote={said.text}
          marked={said.text.includes(words) && said.text !== words ? words : ""}
          who={whoWrote(said)}
          when={moment(said.time)}
          audience={said.audience}
          open={
            <Link className="link" to={place("chat")} params={{ agent }} search={{ message: String(number) }}>
              Open conversation
            </Link>
          }
        />
      )}
    </section>
  );
}
