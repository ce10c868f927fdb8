/** A conversation: its messages by days, what is being said now, and what each reply was told. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { place } from "../../address";
import { me } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Loading } from "../../parts/Loading";
import { Meta } from "../../parts/Meta";
import { ProblemBox } from "../../parts/ProblemBox";
import { useStore } from "../../store";
import { clock, counted, isoDay, longDay, number } from "../../words";
import { readReceipt } from "./cited";
import { isByAgent, MessageBox, Said } from "./Message";
import { messagePages, type Shown } from "./shown";
import { forgetSaying, newKey, placeOfTalk, receipts, type Saying, saying, send } from "./talk";

type Props = {
  agent: string;
  name: string;
  shown: Shown;
  /** The message that the address names. */
  marked: number;
  /** The reply whose receipt is open. */
  why: number;
  onWhy: (reply: number, source?: number) => void;
  empty: ReactNode;
};
const NEAR_END = 80;

export function Thread({ agent, name, shown, marked, why, onWhy, empty }: Props) {
  const self = useQuery(me()).data?.person;
  const pages = useInfiniteQuery({ ...messagePages(agent, shown.id), enabled: shown.session !== undefined });
  const where = placeOfTalk(agent, shown.id);
  const now = useStore(saying).get(where);
  const told = useStore(receipts);
  const messages = useMemo(
    () => (pages.data?.pages ?? []).flatMap((page) => page.messages).toReversed(),
    [pages.data],
  );
  const logged = now && messages.find((each) => each.key.endsWith(`:${now.key}`));
  const replied = logged && messages.find((each) => each.key === `reply:${logged.message}`);

  useEffect(() => {
    // What the log has is shown from the log.
    if (replied && now && (now.state === "done" || now.state === "stopped" || now.state === "lost"))
      forgetSaying(where);
  }, [replied, now, where]);

  const found = marked > 0 && messages.some((each) => each.message === marked);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  useEffect(() => {
    if (marked > 0 && !found && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [marked, found, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  // It follows what is said last, unless the person reads further up.
  useLayoutEffect(() => {
    if (atEnd.current && !found && box.current) box.current.scrollTop = box.current.scrollHeight;
  });
  useEffect(() => {
    if (!found) return;
    const message = document.getElementById(`message-${marked}`);
    message?.scrollIntoView({ block: "center" });
    message?.focus({ preventScroll: true });
  }, [found, marked]);

  let day = "";
  return (
    <div
      className="msgs"
      ref={box}
      tabIndex={0}
      role="log"
      aria-label="Conversation"
      onScroll={({ currentTarget: at }) => {
        atEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < NEAR_END;
      }}
    >
      <div className="inner">
        {pages.isError && (
          <ProblemBox
            title="The conversation could not be read."
            error={pages.error}
            onRetry={() => void pages.refetch()}
          />
        )}
        {hasNextPage && (
          <Button size="small" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Earlier messages
          </Button>
        )}
        {shown.session && pages.isPending && <Loading what="Reading the conversation" lines={4} />}
        {!messages.length && !now && (!shown.session || pages.isSuccess) && empty}
        {messages.map((message) => {
          const today = isoDay(new Date(message.time));
          const mark = today === day ? null : <p className="daymark">{longDay(message.time)}</p>;
          day = today;
          const receipt = told.get(`${agent} ${message.message}`);
          return (
            <Fragment key={message.message}>
              {mark}
              <MessageBox
                agent={agent}
                message={message}
                self={self}
                marked={message.message === marked}
                onSource={receipt ? (source) => onWhy(message.message, source) : undefined}
              >
                {receipt && (
                  <WhyRow
                    reply={receipt}
                    open={why === message.message}
                    onOpen={() => onWhy(message.message)}
                  />
                )}
                {isByAgent(message) && /\[interrupted\]\s*$/.test(message.text) && (
                  <BrokeOff agent={agent} name={name} shown={shown} before={before(messages, message)} />
                )}
              </MessageBox>
            </Fragment>
          );
        })}
        {now && !replied && now.state !== "refused" && (
          <Now agent={agent} name={name} now={now} logged={logged !== undefined} />
        )}
      </div>
    </div>
  );
}

type Message = Parameters<typeof isByAgent>[0];

/** What was said to the agent before a reply. */
function before(messages: readonly Message[], reply: Message): string {
  const asked = reply.key.startsWith("reply:") ? Number(reply.key.slice("reply:".length)) : 0;
  return messages.find((each) => each.message === asked)?.text ?? "";
}

function WhyRow({
  reply,
  open,
  onOpen,
}: {
  reply: Parameters<typeof readReceipt>[0];
  open: boolean;
  onOpen: () => void;
}) {
  const read = useMemo(() => readReceipt(reply), [reply]);
  return (
    <div className="why">
      <Button size="small" icon="context" className={open ? "on" : ""} aria-expanded={open} onClick={onOpen}>
        Why
      </Button>
      <Meta>
        {`${counted(read.told.length + read.cited.length, "memory", "memories")} told`}
        {read.cited.length ? `${read.cited.length} cited` : null}
        {`${number(read.tokens)} tokens`}
        {reply.answer ? `recall: ${reply.answer}` : null}
      </Meta>
    </div>
  );
}

function BrokeOff({
  agent,
  name,
  shown,
  before: text,
}: {
  agent: string;
  name: string;
  shown: Shown;
  before: string;
}) {
  return (
    <div className="why">
      {text && (
        <Button size="small" icon="undo" onClick={() => void send(agent, { id: shown.id }, text, newKey())}>
          Ask again
        </Button>
      )}
      <span className="meta">{name} was interrupted here. What came is kept.</span>
    </div>
  );
}

/** The message that was just sent, and its reply as far as it has come. */
function Now({ agent, name, now, logged }: { agent: string; name: string; now: Saying; logged: boolean }) {
  const again = () => void send(agent, now.session, now.text, now.key);
  return (
    <>
      {!logged && (
        <article className="msg me">
          <Meta>
            <b>You</b>
            {clock(now.at)}
            {now.state === "sending" ? "sending" : null}
          </Meta>
          <p className="words whitespace-pre-line">{now.text}</p>
        </article>
      )}
      {(now.said || now.state !== "sending") && (
        <article className="msg her" aria-busy={now.state === "answering"}>
          <Meta>
            <b>{name}</b>
            {now.state === "answering" ? (now.said ? "is answering" : "is thinking") : null}
            {now.state === "stopped" ? "stopped" : null}
          </Meta>
          {now.said && <Said agent={agent} text={now.said} />}
          {now.state === "stopped" && !now.said && (
            <p className="soft">You stopped {name} before it said anything.</p>
          )}
        </article>
      )}
      {now.state === "lost" && (
        <ProblemBox
          title={now.error?.code === "cut" ? "The connection was lost." : `${name} could not answer.`}
          error={now.error?.code === "cut" ? undefined : now.error}
          safe={
            now.said ? "Your message is kept, and so is what came of the reply." : "Your message is kept."
          }
          onRetry={again}
        >
          {now.error?.code !== "cut" && (
            <Link className="btn small quiet" to={place("doctor")} params={{ agent }}>
              Doctor
            </Link>
          )}
        </ProblemBox>
      )}
    </>
  );
}
