/** One setting: what it does, its value, where it was set; changed in place, or reset. */
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { place } from "../../address";
import { api, read } from "../../api/client";
import { Problem } from "../../api/problem";
import { queryClient } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Field, TextField } from "../../parts/Field";
import { ProblemBox } from "../../parts/ProblemBox";
import { Segmented } from "../../parts/Segmented";
import { Select } from "../../parts/Select";
import { toast } from "../../parts/Toast";
import { Told } from "../../parts/Told";
import { formOf, type Setting, sent, shown, typed, type Value } from "./values";

/** Set a setting, or with `undefined` remove it, so that its default holds. */
function change(path: string, value: Value | undefined, agent: string) {
  const params = { path: { path }, query: { agent } };
  return read(
    value === undefined
      ? api.DELETE("/api/settings/{path}", { params })
      : api.PUT("/api/settings/{path}", { params, body: { value } }),
  );
}

type Props = { of: Setting; agent: string; isOpen: boolean; onOpen: (open: boolean) => void };

export function One({ of, agent, isOpen, onOpen }: Props) {
  const form = formOf(of);
  const { words, isText } = shown(of);
  const isHere = of.source === (agent ? "agent" : "config.yaml");
  const isSet = of.source !== "default";
  const reset = useMutation({
    mutationFn: () => change(of.path, undefined, agent),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ["settings"] });
      const before = isHere && !of.secret && form !== "entries" ? sent(of, typed(of)) : undefined;
      toast("Reset to its default.", before === undefined ? undefined : () => undo(of.path, before, agent));
    },
  });
  return (
    <li className="setting">
      <div className="about">
        <h3 className="file">{of.path}</h3>
        <p className="soft">
          <Told text={of.help} />
        </p>
      </div>
      <div className="value">
        <p className={isText ? "file" : "muted"}>{words}</p>
        <p className="meta">
          <Source of={of} agent={agent} />
        </p>
      </div>
      <div className="deeds">
        {isHere && isSet && !isOpen && (
          <Button
            look="quiet"
            size="small"
            aria-label={`Reset ${of.path}`}
            disabled={reset.isPending}
            onClick={() => reset.mutate()}
          >
            Reset
          </Button>
        )}
        {!isOpen && <Deed of={of} agent={agent} onOpen={() => onOpen(true)} />}
      </div>
      {reset.isError && (
        <div className="whole">
          <ProblemBox title="Not reset." error={reset.error} />
        </div>
      )}
      {isOpen && <Edit of={of} agent={agent} onDone={() => onOpen(false)} />}
    </li>
  );
}

/** The way to change it from here, or the words why there is none. */
function Deed({ of, agent, onOpen }: { of: Setting; agent: string; onOpen: () => void }) {
  if (formOf(of) === "entries") return <span className="text-12 text-muted">in config.yaml alone</span>;
  if (of.source === "environment") return <span className="text-12 text-muted">the environment wins</span>;
  if (agent && of.where === "home") return <span className="text-12 text-muted">for the whole home</span>;
  if (of.source === "CONFIG.md" && agent)
    return (
      <Link className="btn small" to={place("files")} params={{ agent }} search={{ file: "CONFIG.md" }}>
        Open CONFIG.md
      </Link>
    );
  return (
    <Button size="small" aria-label={`${of.secret ? "Set" : "Edit"} ${of.path}`} onClick={onOpen}>
      {of.secret ? "Set" : "Edit"}
    </Button>
  );
}

function Source({ of, agent }: { of: Setting; agent: string }) {
  if (of.source === "default") return "default";
  const at = of.line ? `:${of.line}` : "";
  const file = of.source === "agent" ? "config.yaml" : of.source;
  const standard = of.secret || !of.default ? "" : `, default ${of.default === '""' ? "empty" : of.default}`;
  return (
    <span>
      {of.source === "environment" ? (
        "set by the environment"
      ) : (
        <span>
          set in{" "}
          <span className="file">
            {file}
            {at}
          </span>
          {of.source === "agent" ? ` for ${agent}` : ""}
        </span>
      )}
      {standard}
    </span>
  );
}

async function undo(path: string, value: Value | undefined, agent: string): Promise<void> {
  await change(path, value, agent).catch(() => undefined); // the list shows what holds
  await queryClient.invalidateQueries({ queryKey: ["settings"] });
}

function Edit({ of, agent, onDone }: { of: Setting; agent: string; onDone: () => void }) {
  const [text, setText] = useState(typed(of));
  const form = formOf(of);
  const save = useMutation({
    mutationFn: () => change(of.path, sent(of, text), agent),
    onSuccess: ({ problems }) => {
      void queryClient.invalidateQueries({ queryKey: ["settings"] });
      const was = of.source === (agent ? "agent" : "config.yaml") ? sent(of, typed(of)) : undefined;
      toast(
        problems.length ? "Saved; see what the files of settings say." : "Saved.",
        of.secret ? undefined : () => void undo(of.path, was, agent),
      );
      onDone();
    },
  });
  const problem = save.isError ? Problem.from(save.error) : undefined;
  // What is wrong with the value stands at the field; whatever else went wrong has a box of its own.
  const bad = problem?.status === 400 || problem?.status === 422 ? plain(problem.detail, of.path) : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onDone();
    } else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) save.mutate();
  };
  const shared = { label: `Value of ${of.path}`, bad, hint: hintOf(of) };
  return (
    <form className="whole edit" onSubmit={submit} onKeyDown={onKey}>
      {form === "switch" ? (
        <Segmented
          label={shared.label}
          value={text}
          choices={[
            { value: "true", label: "true" },
            { value: "false", label: "false" },
          ]}
          onChange={setText}
        />
      ) : form === "choice" ? (
        <Select
          label={shared.label}
          value={text}
          choices={of.choices.map((each) => ({ value: each, label: each }))}
          onChange={setText}
        />
      ) : form === "list" || form === "names" ? (
        <TextField {...shared} value={text} onChange={(event) => setText(event.target.value)} autoFocus />
      ) : (
        <Field
          {...shared}
          type={of.secret ? "password" : "text"}
          inputMode={form === "number" ? "decimal" : undefined}
          autoComplete={of.secret ? "new-password" : "off"}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          autoFocus
        />
      )}
      {(form === "switch" || form === "choice") && bad && <p className="text-12 text-danger">{bad}</p>}
      {problem && !bad && (
        <ProblemBox title="Not saved." error={problem} safe="What you typed is still here." />
      )}
      <div className="row wrap">
        <Button
          look="main"
          size="small"
          type="submit"
          disabled={save.isPending || (of.secret && text === "")}
        >
          Save
        </Button>
        <Button look="quiet" size="small" onClick={onDone}>
          Cancel
        </Button>
        <span className="text-12 text-muted">
          Goes to <span className="file">config.yaml</span>
          {agent ? ` for ${agent} alone` : ""}; all other lines stay.
        </span>
      </div>
    </form>
  );
}

const NAMED = "$\u007bNAME}";

function hintOf(of: Setting): string {
  const form = formOf(of);
  if (of.secret) return `Best as ${NAMED}, a variable in the environment of the server.`;
  if (form === "list") return `One a line: ${of.type}.`;
  if (form === "names") return `One a line, as name: value. It takes ${of.type}.`;
  return `It takes ${of.type}.`;
}

/** The server's words without the path, which stands above. */
function plain(detail: string, path: string): string {
  const text = detail.replace(/^(?:agents\.[^.]+\.)?/, "").replace(`${path}: `, "");
  const words = text.replace(/^body\.value[^:]*: /, "");
  return words.charAt(0).toUpperCase() + words.slice(1) + (/[.?!]$/.test(words) ? "" : ".");
}
