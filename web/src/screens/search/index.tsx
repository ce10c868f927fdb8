/** Search: a question, what memory answers, how sure it is, and why each passage was found. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef, useState } from "react";
import { place, useAgent } from "../../address";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Icon } from "../../parts/Icon";
import { Loading } from "../../parts/Loading";
import { Note } from "../../parts/Note";
import { ProblemBox } from "../../parts/ProblemBox";
import { Select } from "../../parts/Select";
import { TopBar } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { useKeys } from "../../shell/keys";
import { person } from "../../words";
import { useWhere } from "../context/views";
import { ANSWERS, type Asked, found, SOURCES, TAGS, TIMES, useAsked } from "./asking";
import { opens, Result } from "./Result";
import "./search.css";

export default function Search() {
  const agent = useAgent();
  const name = useAgentName(agent);
  const asked = useAsked();
  const read = useQuery(found(agent, asked.given));
  const navigate = useNavigate();
  const [at, setAt] = useState(-1);
  const [explained, setExplained] = useState<ReadonlySet<number>>(new Set());
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const hits = read.data?.hits ?? [];
  const explain = (index: number) => {
    const next = new Set(explained);
    if (!next.delete(index)) next.add(index);
    setExplained(next);
  };
  const step = (by: number) => {
    const next = Math.min(Math.max(at + by, 0), hits.length - 1);
    setAt(next);
    list.current?.children[next]?.scrollIntoView({ block: "nearest" });
  };
  const open = () => {
    const hit = hits[at];
    if (!hit) return;
    const { to, search } = opens(hit);
    void navigate({ to: place(to), params: { agent }, search: search as never });
  };
  useKeys([
    { keys: "/", does: "Go to the question", run: () => field.current?.select() },
    { keys: "j", does: "Next passage", run: () => step(1) },
    { keys: "k", does: "Previous passage", run: () => step(-1) },
    { keys: "w", does: "Why it was found", run: () => at >= 0 && explain(at) },
    { keys: "enter", does: "Open at the line", run: open },
  ]);
  const key = JSON.stringify(asked.given);
  useEffect(() => {
    if (!key) return;
    setAt(-1);
    setExplained(new Set());
  }, [key]);

  return (
    <>
      <TopBar
        title="Search"
        fact={<span className="only-desk truncate text-muted">What {name} remembers</span>}
      />
      <div className="search">
        <Question key={asked.query} asked={asked} field={field} name={name} />
        <Filters agent={agent} asked={asked} />
        <div className="scroll">
          <div className="results">
            {!asked.query ? (
              <Empty icon="search" title={`Ask what ${name} remembers`}>
                Questions work better than single words: “When does the flour come?”
              </Empty>
            ) : read.data ? (
              <>
                <Answer agent={agent} answer={read.data.answer} />
                {(read.data.notes ?? []).map((each) => (
                  <Note key={each}>{`${each.charAt(0).toUpperCase()}${each.slice(1)}.`}</Note>
                ))}
                {hits.length === 0 ? (
                  <Empty icon="search" title="Nothing was found">
                    Nobody has said or written anything like this where you look. Take a filter away, or ask
                    in other words.
                  </Empty>
                ) : (
                  <ol ref={list} className="hits" aria-label="Passages" aria-busy={read.isPlaceholderData}>
                    {hits.map((hit, index) => (
                      <Result
                        key={`${hit.path}:${hit.start_line}`}
                        agent={agent}
                        hit={hit}
                        query={asked.query}
                        chosen={index === at}
                        explained={explained.has(index)}
                        onExplain={() => explain(index)}
                      />
                    ))}
                  </ol>
                )}
              </>
            ) : read.isError ? (
              <ProblemBox
                title="Not searched."
                error={read.error}
                safe="Your question is still here."
                onRetry={() => void read.refetch()}
              />
            ) : (
              <Loading what="Searching" lines={5} />
            )}
          </div>
        </div>
      </div>
    </>
  );
}

type QuestionProps = { asked: Asked; field: RefObject<HTMLInputElement | null>; name: string };

function Question({ asked, field, name }: QuestionProps) {
  const [typed, setTyped] = useState(asked.query);
  const focus = useRef(asked.query === "");
  useEffect(() => {
    if (focus.current) field.current?.focus();
  }, [field]);
  return (
    <form
      className="question"
      onSubmit={(event) => {
        event.preventDefault();
        asked.setQuery(typed.trim(), true);
      }}
    >
      <div className="field grow">
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          aria-label="Question"
          placeholder={`Ask what ${name} remembers`}
          autoComplete="off"
          maxLength={1000}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            // Enter asks here; elsewhere it opens the passage.
            if (event.key === "Enter") event.stopPropagation();
            if (event.key === "Escape") event.currentTarget.blur();
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </div>
      <Button look="main" type="submit" keys="enter" disabled={!typed.trim()}>
        Search
      </Button>
    </form>
  );
}

function Filters({ agent, asked }: { agent: string; asked: Asked }) {
  const where = useWhere(agent);
  const people = where.you ? [where.you, ...where.others] : where.others;
  const said = (id: string) => (id === where.you ? "You" : person(id));
  return (
    <fieldset className="narrow">
      <legend className="hidden-text">Filters</legend>
      <Select label="Where" value={asked.source} choices={SOURCES} onChange={asked.setSource} />
      <Select
        label="Tag"
        value={asked.tag}
        choices={[
          { value: "", label: "Any tag" },
          ...TAGS.map((each) => ({ value: each, label: each.charAt(0).toUpperCase() + each.slice(1) })),
        ]}
        onChange={asked.setTag}
      />
      <Select
        label="Person"
        value={asked.person}
        choices={[{ value: "", label: "Anybody" }, ...people.map((id) => ({ value: id, label: said(id) }))]}
        onChange={asked.setPerson}
      />
      {where.rooms.length > 0 && (
        <Select
          label="Room"
          value={asked.room}
          choices={[{ value: "", label: "Any room" }, ...where.rooms.map((id) => ({ value: id, label: id }))]}
          onChange={asked.setRoom}
        />
      )}
      <Select label="Time" value={asked.last} choices={TIMES} onChange={asked.setLast} />
      <span className="grow" />
      <Select
        label="Seen as"
        shown
        value={asked.eyes}
        choices={[
          { value: "", label: "You" },
          ...where.others.map((id) => ({ value: id, label: person(id) })),
          ...where.rooms.map((id) => ({ value: `room:${id}`, label: id })),
        ]}
        onChange={asked.setEyes}
      />
    </fieldset>
  );
}

function Answer({ agent, answer }: { agent: string; answer: keyof typeof ANSWERS }) {
  const { word, means } = ANSWERS[answer];
  return (
    <p className={`answer ${answer}`} role="status">
      <b className="strong">{word}.</b> <span className="soft">{means}</span>{" "}
      {answer === "conflicting" && (
        <Link to={place("review")} params={{ agent }} className="link">
          Settle it in Review
        </Link>
      )}
    </p>
  );
}
