/** A passage that was found: its words, where it stands, and what its score is made of. */
import { Link } from "@tanstack/react-router";
import type { CSSProperties, ReactNode } from "react";
import { place } from "../../address";
import { Audience } from "../../parts/Audience";
import { Button } from "../../parts/Button";
import { Kind } from "../../parts/Kind";
import { Meta } from "../../parts/Meta";
import { messageOf, wordsOf } from "../../remembered";
import { nearDay, person } from "../../words";
import { because, type Hit, partsOf } from "./asking";

type Props = {
  agent: string;
  hit: Hit;
  query: string;
  chosen: boolean;
  explained: boolean;
  onExplain: () => void;
};

/** Where a hit opens: the line of its file, or the message. */
export function opens(hit: Hit): { to: string; search: Record<string, string> } {
  const message = messageOf(hit.entry) || (hit.path.startsWith("chat/") ? hit.start_line : 0);
  if (message) return { to: "chat", search: { message: String(message) } };
  return { to: "files", search: { file: hit.path, line: String(hit.start_line) } };
}

export function Result({ agent, hit, query, chosen, explained, onExplain }: Props) {
  const { to, search } = opens(hit);
  const parts = partsOf(hit.why);
  const label = to === "chat" ? `message ${search.message}` : `${hit.path}:${hit.start_line}`;
  return (
    <li className={`hit ${chosen ? "chosen" : ""}`}>
      <div className="top-line">
        <Link to={place(to)} params={{ agent }} search={search as never} className="words">
          <Marked text={wordsOf(hit.text)} query={query} />
        </Link>
        <span className="score num" title="Score: how well it answers, from 0 to 1">
          <i aria-hidden="true" style={{ "--v": hit.score * 100 } as CSSProperties} />
          <span className="hidden-text">Score </span>
          {hit.score.toFixed(2)}
        </span>
      </div>
      <Meta>
        {hit.earlier ? (
          <Kind look="conflict" icon="archive">
            there is a newer one
          </Kind>
        ) : null}
        {hit.speaker ? person(hit.speaker) : null}
        {hit.date ? nearDay(hit.date) : null}
        <span className="file">{label}</span>
        {hit.heading || null}
        <Audience of={hit.audience} />
      </Meta>
      {parts.length > 0 && (
        <div className="why">
          <span className="grow soft text-12">{because(parts)}</span>
          <Button
            size="small"
            look="quiet"
            aria-expanded={explained}
            keys={chosen ? "W" : undefined}
            onClick={onExplain}
          >
            Why
          </Button>
        </div>
      )}
      {explained && (
        <ul className="parts">
          {parts.map((part) => (
            <li key={part.name}>
              <span className="grow">{part.words}</span>
              <i
                aria-hidden="true"
                className={part.value < 0 ? "less" : ""}
                style={{ "--v": Math.min(100, Math.abs(part.value) * 100) } as CSSProperties}
              />
              <span className="num">{`${part.value < 0 ? "−" : "+"}${Math.abs(part.value).toFixed(2)}`}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The words of the question are marked where the text has them. */
function Marked({ text, query }: { text: string; query: string }): ReactNode {
  const asked = new Set(words(query));
  if (!asked.size) return text;
  let at = 0;
  return text.split(/([\p{L}\p{N}]+)/u).map((piece) => {
    const key = at;
    at += piece.length;
    return asked.has(piece.toLowerCase()) ? <mark key={key}>{piece}</mark> : piece;
  });
}

const COMMON = new Set(
  "the and for who what when where why how does did are was were our you your with from".split(" "),
);

function words(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).filter((word) => !COMMON.has(word));
}
