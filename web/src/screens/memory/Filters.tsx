/** What narrows the list: words, audience, tag, how sure, when last mentioned, the file. All of it stands in the address. */
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useState } from "react";
import { api, read } from "../../api/client";
import { files, people } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { Select } from "../../parts/Select";
import { person } from "../../words";
import { ORDERS, TAGS, type Wanted } from "./list";

const SURE = [
  { value: "", label: "Sure or not" },
  { value: "0.3", label: "Sure from 0.3" },
  { value: "0.5", label: "Sure from 0.5" },
  { value: "0.7", label: "Sure from 0.7" },
  { value: "0.9", label: "Sure from 0.9" },
  { value: "fading", label: "Fading" },
];
const LAST = [
  { value: "", label: "Any time" },
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "365", label: "Last year" },
];
const ORDER_NAMES = { seen: "Last mentioned", added: "Learnt", confidence: "Sure", file: "File and line" };
const MOST_FILES = 200;
const TYPING_MS = 250;

export function Filters({
  agent,
  wanted,
  field,
}: {
  agent: string;
  wanted: Wanted;
  field: RefObject<HTMLInputElement | null>;
}) {
  const [more, setMore] = useState(false);
  const chosen = [wanted.audience, wanted.tag, wanted.sure, wanted.last, wanted.file].filter(Boolean).length;
  return (
    <div className="filters">
      <Find wanted={wanted} field={field} />
      <Button
        className="only-phone"
        icon="filter"
        aria-expanded={more}
        label={chosen ? `Filters, ${chosen} chosen` : "Filters"}
        onClick={() => setMore(!more)}
      >
        {chosen || undefined}
      </Button>
      <div className={`picks ${more ? "shown" : ""}`}>
        <AudiencePick agent={agent} value={wanted.audience} onChange={wanted.setAudience} />
        <Select
          label="Tag"
          value={wanted.tag}
          choices={[
            { value: "", label: "Any tag" },
            ...TAGS.map((each) => ({ value: each, label: each.charAt(0).toUpperCase() + each.slice(1) })),
          ]}
          onChange={wanted.setTag}
        />
        <Select label="How sure" value={wanted.sure} choices={SURE} onChange={wanted.setSure} />
        <Select label="Last mentioned" value={wanted.last} choices={LAST} onChange={wanted.setLast} />
        <FilePick agent={agent} value={wanted.file} onChange={wanted.setFile} />
        <span className="only-phone">
          <Select
            label="Order"
            value={wanted.order}
            choices={ORDERS.map((each) => ({ value: each, label: `By: ${ORDER_NAMES[each]}` }))}
            onChange={wanted.setSort}
          />
        </span>
      </div>
    </div>
  );
}

/** The field keeps what is typed at once; the address, and with it the list, follows after a moment. */
function Find({ wanted, field }: { wanted: Wanted; field: RefObject<HTMLInputElement | null> }) {
  const [typed, setTyped] = useState(wanted.words);
  const { words, setWords } = wanted;
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(words);
  }, [words, field]);
  useEffect(() => {
    const timer = window.setTimeout(() => typed.trim() !== words && setWords(typed.trim()), TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [typed, words, setWords]);
  return (
    <div className="field grow">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label="Find in memory"
        placeholder="Find in memory"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key === "Enter") setWords(typed.trim());
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}

type PickProps = { agent: string; value: string; onChange: (value: string) => void };

export function AudiencePick({ agent, value, onChange }: PickProps) {
  const rooms = useQuery({
    queryKey: ["sessions", agent, "rooms"],
    queryFn: () => read(api.GET("/api/agents/{name}/rooms", { params: { path: { name: agent } } })),
  });
  const known = useQuery(people());
  const choices = [
    { value: "", label: "Seen by anyone" },
    { value: "owner", label: "Only you" },
    { value: "public", label: "Everyone" },
    ...(rooms.data?.rooms ?? []).map((each) => ({ value: `room:${each.room}`, label: each.room })),
    ...(known.data?.people ?? [])
      .filter((each) => !each.operator)
      .map((each) => ({ value: `person:${each.id}`, label: person(each.id) })),
  ];
  if (value && !choices.some((each) => each.value === value)) choices.push({ value, label: value });
  return <Select label="Seen by" value={value} choices={choices} onChange={onChange} />;
}

function FilePick({ agent, value, onChange }: PickProps) {
  const listed = useQuery(files(agent));
  const names = (listed.data?.files ?? [])
    .map((each) => each.filename)
    .filter((name) => name.endsWith(".md") && !/^(memory|Archive|SOUL_HISTORY|skills)\//.test(name))
    .slice(0, MOST_FILES);
  if (value && !names.includes(value)) names.push(value);
  const choices = [{ value: "", label: "Any file" }, ...names.map((name) => ({ value: name, label: name }))];
  return <Select label="File" value={value} choices={choices} onChange={onChange} />;
}
