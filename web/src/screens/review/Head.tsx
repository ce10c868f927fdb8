/** The head of a proposal: what it is, who asks, who will see it, and why. */
import { Audience } from "../../parts/Audience";
import { Kind } from "../../parts/Kind";
import { Meta } from "../../parts/Meta";
import { author, longDay, moment } from "../../words";
import { deedOf } from "./Difference";
import type { Whole } from "./deciding";
import { fileOf, KINDS, kindOf, readersOf, sentence } from "./rows";

const PUTS_RIGHT = "What you said may put this right. The old words stay below as a comment.";

/** A keeper's reason, told to the person it is about. */
function toYou(reason: string): string {
  return reason.replace(/\bthe operator\b/g, "you").replace(/\b\d{4}-\d{2}-\d{2}\b/g, (day) => longDay(day));
}

export function Head({ of }: { of: Whole }) {
  const kind = KINDS[kindOf(of)];
  const file = fileOf(of.files);
  const readers = readersOf(file);
  const isCorrection = kindOf(of) === "correction";
  const deed = isCorrection ? `Put right what ${file} says?` : deedOf(of, file);
  const why = isCorrection ? PUTS_RIGHT : of.author.startsWith("keeper:") ? toYou(of.reason) : of.reason;
  return (
    <>
      <Meta>
        <Kind look={kind.look} icon={kind.icon}>
          {kind.label}
        </Kind>
        {`${author(of.author)}, ${moment(of.at)}`}
        {readers ? <Audience of={readers} /> : null}
        <span className="file only-desk">{of.id}</span>
      </Meta>
      <h2 className="ttl">{deed}</h2>
      <p className="soft why">{sentence(why)}</p>
    </>
  );
}
