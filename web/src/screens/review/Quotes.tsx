/** What a proposal rests on: each quote, who said it and when, one click from the conversation. */
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { place } from "../../address";
import type { Schemas } from "../../api/client";
import { message } from "../../api/queries";
import { Evidence } from "../../parts/Evidence";
import { Meta } from "../../parts/Meta";
import { counted, moment, origin, person, seenBy } from "../../words";

type Cited = Schemas["EvidenceShown"];

/** The number of the message that a reference names; 0 for other references. */
function messageOf(ref: string): number {
  return Number(/^m:(\d+)$/.exec(ref)?.[1] ?? 0);
}

export function Quotes({ agent, of }: { agent: string; of: readonly Cited[] }) {
  const numbers = [...new Set(of.map((each) => messageOf(each.ref)).filter(Boolean))];
  const read = useQueries({ queries: numbers.map((number) => message(agent, number)) });
  const known = new Map(numbers.map((number, i) => [number, read[i]?.data]));
  if (!of.length) return null;
  const said = [...known.values()];
  const yours = said.length > 0 && said.every((each) => each?.origin === "operator");
  const count = numbers.length
    ? counted(numbers.length, "message") + (!yours ? "" : said.length > 1 ? ", all yours" : ", yours")
    : "";
  return (
    <>
      <h3 className="label ev">
        Evidence <span className="n">{count}</span>
      </h3>
      <div className="quotes">
        {of.map((each) => (
          <Quote
            key={`${each.ref} ${each.quote}`}
            agent={agent}
            cited={each}
            message={known.get(messageOf(each.ref))}
          />
        ))}
      </div>
    </>
  );
}

type QuoteProps = { agent: string; cited: Cited; message?: Schemas["MessageShown"] };

function Quote({ agent, cited, message: found }: QuoteProps) {
  if (!messageOf(cited.ref)) return <Elsewhere agent={agent} cited={cited} />;
  const number = messageOf(cited.ref);
  const whole = found?.text ?? "";
  // Where only a part was cited, the whole message stands around it.
  const inside = whole.includes(cited.quote) && whole !== cited.quote;
  const quote = inside ? whole : cited.quote || whole;
  return (
    <Evidence
      quote={quote || `Words that only ${seenBy(cited.audience)} may read.`}
      marked={inside ? cited.quote : ""}
      who={found ? whoSaid(found) : origin(cited.origin)}
      when={found && moment(found.time)}
      audience={found?.audience ?? cited.audience}
      open={
        <Link className="link" to={place("chat")} params={{ agent }} search={{ message: String(number) }}>
          Open conversation
        </Link>
      }
    />
  );
}

export function whoSaid(message: Schemas["MessageShown"]): string {
  if (message.origin === "operator") return "You";
  return message.sender || (message.subject ? person(message.subject) : origin(message.origin));
}

/** Evidence that is no message: entries of a file, or a conversation as a whole. */
function Elsewhere({ agent, cited }: { agent: string; cited: Cited }) {
  const file = /^([^#]+\.md)(?:#|:|$)/.exec(cited.ref)?.[1];
  const talk = /^session:(?:dm:)?(.+)$/.exec(cited.ref)?.[1];
  if (cited.quote)
    return (
      <Evidence
        quote={cited.quote}
        who={origin(cited.origin)}
        audience={cited.audience}
        open={file && <FileLink agent={agent} file={file} />}
      />
    );
  return (
    <Meta>
      {talk ? `A conversation with ${person(talk)}, without a quote` : null}
      {file ? <FileLink agent={agent} file={file} /> : null}
      {talk || file ? null : <span className="file">{cited.ref}</span>}
    </Meta>
  );
}

function FileLink({ agent, file }: { agent: string; file: string }) {
  return (
    <Link className="link" to={place("files")} params={{ agent }} search={{ file }}>
      <span className="file">{file}</span>
    </Link>
  );
}
