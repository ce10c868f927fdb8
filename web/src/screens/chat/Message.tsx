/** One message: what a person said stands right, in a box; what the agent said is text, with its sources below it. */
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { place } from "../../address";
import type { Schemas } from "../../api/client";
import { Markdown } from "../../parts/lazy";
import { Meta } from "../../parts/Meta";
import { clock, origin, person } from "../../words";
import { cited, placeOf, type Source } from "./cited";

type Message = Schemas["MessageShown"];
const INTERRUPTED = / ?\[interrupted\]\s*$/;

export function isByAgent(message: Message): boolean {
  return message.role === "assistant";
}

export function whoSaid(message: Message, self: string | null | undefined): string {
  if (message.role === "system") return "Oldsoul";
  if (message.subject && message.subject === self) return "You";
  return message.sender || (message.subject ? person(message.subject) : origin(message.origin));
}

type Props = {
  message: Message;
  self: string | null | undefined;
  marked?: boolean;
  onSource?: (number: number) => void;
  children?: ReactNode;
  agent: string;
};

export function MessageBox({ message, self, marked = false, onSource, children, agent }: Props) {
  const who = whoSaid(message, self);
  const mine = who === "You" && !isByAgent(message);
  return (
    <article
      id={`message-${message.message}`}
      className={`msg ${mine ? "me" : ""} ${isByAgent(message) ? "her" : ""} ${marked ? "marked" : ""}`}
      aria-current={marked ? "true" : undefined}
      tabIndex={marked ? -1 : undefined}
    >
      <Meta>
        <b>{who}</b>
        <time dateTime={message.time}>{clock(message.time)}</time>
        {marked ? "the message you came for" : null}
        {INTERRUPTED.test(message.text) ? "broke off" : null}
      </Meta>
      {isByAgent(message) ? (
        <Said agent={agent} text={message.text.replace(INTERRUPTED, "")} onSource={onSource} />
      ) : (
        <p className="words whitespace-pre-line">
          {message.text || <span className="muted">These words were forgotten.</span>}
        </p>
      )}
      {children}
    </article>
  );
}

type SaidProps = { agent: string; text: string; onSource?: (number: number) => void };

/** What the agent says; a number leads to the line of memory it rests on. */
export function Said({ agent, text, onSource }: SaidProps) {
  const said = cited(text);
  const words = useRef<HTMLDivElement>(null);
  const toSource = useRef(onSource);
  toSource.current = onSource;
  // The numbers are links within Markdown, so they are heard where they come out of it.
  useEffect(() => {
    const box = words.current;
    const follow = (event: Event) => {
      const link = event.target instanceof Element ? event.target.closest('a[href^="#cite-"]') : null;
      if (!link) return;
      event.preventDefault();
      const number = Number(link.getAttribute("href")?.slice("#cite-".length));
      const sources = link.closest("article")?.querySelectorAll<HTMLElement>(".sources a");
      if (toSource.current) toSource.current(number);
      else sources?.[number - 1]?.focus();
    };
    box?.addEventListener("click", follow);
    return () => box?.removeEventListener("click", follow);
  }, []);
  return (
    <>
      <div className="words" ref={words}>
        <Markdown text={said.text} />
      </div>
      {said.sources.length > 0 && (
        <ol className="sources" aria-label="Where it stands">
          {said.sources.map((source) => (
            <li key={source.number}>
              <span className="no">{source.number}</span>
              <SourceLink agent={agent} source={source} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function SourceLink({ agent, source }: { agent: string; source: Source }) {
  const words = placeOf(source.path, source.start);
  if (source.path.startsWith("chat/"))
    return (
      <Link className="file" to={place("chat")} params={{ agent }} search={{ message: String(source.start) }}>
        {words}, message {source.start}
      </Link>
    );
  return (
    <Link
      className="file"
      to={place("files")}
      params={{ agent }}
      search={{ file: source.path, line: String(source.start) }}
    >
      {words}
    </Link>
  );
}
