/** What somebody said, as evidence: the quote, the words that count, who, when, and the way to the conversation. */
import type { ReactNode } from "react";
import { audienceOf } from "../words";
import { Audience } from "./Audience";
import { Meta } from "./Meta";

type Props = {
  quote: string;
  /** The part of the quote that counts. */
  marked?: string;
  who?: ReactNode;
  when?: ReactNode;
  audience: string;
  /** A link: "Open conversation". */
  open?: ReactNode;
};

export function Evidence({ quote, marked = "", who, when, audience, open }: Props) {
  const { reach } = audienceOf(audience);
  const look = reach === "room" ? "is-room" : reach === "public" ? "" : "is-private";
  const at = marked ? quote.indexOf(marked) : -1;
  return (
    <blockquote className={`quote ${look}`}>
      <div>
        <p className="words whitespace-pre-line">
          {at < 0 ? (
            quote
          ) : (
            <>
              {quote.slice(0, at)}
              <mark>{marked}</mark>
              {quote.slice(at + marked.length)}
            </>
          )}
        </p>
        <Meta>
          {who}
          {when}
          <Audience of={audience} />
          {open}
        </Meta>
      </div>
    </blockquote>
  );
}
