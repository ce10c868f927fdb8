/** The forms of the inspector: other words for an entry, what is true instead, something new. What is typed stays. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Problem } from "../../api/problem";
import { Button } from "../../parts/Button";
import { Field, TextField } from "../../parts/Field";
import { Note } from "../../parts/Note";
import { ProblemBox } from "../../parts/ProblemBox";
import { Select } from "../../parts/Select";
import { wordsOf } from "../../remembered";
import { correct, edit, oneEntry, remember, type Whole } from "./deeds";

type Shared = { agent: string; onClose: () => void; onProblem: (error: unknown) => void };

type FrameProps = {
  deed: string;
  busy: boolean;
  empty: boolean;
  onDo: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** A form that takes the focus, saves with ⌘↵ or ⌘S and closes with Esc. */
function Frame({ deed, busy, empty, onDo, onClose, children }: FrameProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const field = form.current?.querySelector<HTMLTextAreaElement>("textarea");
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  const onKey = (event: KeyboardEvent) => {
    const saves = (event.metaKey || event.ctrlKey) && (event.key === "Enter" || event.key === "s");
    if (saves) {
      event.preventDefault();
      if (!busy && !empty) onDo();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      onClose();
    }
  };
  return (
    <form
      ref={form}
      className="grid gap-3"
      onKeyDown={onKey}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && !empty) onDo();
      }}
    >
      {children}
      <div className="row wrap">
        <Button type="submit" size="small" keys="mod+enter" disabled={busy || empty}>
          {deed}
        </Button>
        <Button size="small" look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

export function EditForm({ agent, entry, onClose, onProblem }: Shared & { entry: Whole }) {
  // What was seen when editing began: later news must not slip under what is typed.
  const [seen, setSeen] = useState(entry);
  const [text, setText] = useState(entry.words);
  const [problem, setProblem] = useState<unknown>();
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => edit(agent, seen, text.trim(), onProblem),
    onSuccess: onClose,
    onError: (error) => {
      setProblem(error);
      if (Problem.from(error).status === 409) void client.invalidateQueries(oneEntry(agent, entry.entry, ""));
    },
  });
  const changed = entry.text !== seen.text;
  return (
    <Frame
      deed="Save"
      busy={save.isPending}
      empty={!text.trim()}
      onDo={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Words"
        hint="Its date, its tag and who may see it stay."
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="words"
      />
      {changed && (
        <Note look="proposal">
          Changed meanwhile. It says now: <q className="font-words">{wordsOf(entry.text)}</q> Your words are
          untouched.{" "}
          <button type="button" className="link" onClick={() => setSeen(entry)}>
            Replace it with mine
          </button>
        </Note>
      )}
      {problem !== undefined && (
        <ProblemBox title="Not saved." error={problem} safe="Your words are still here." />
      )}
    </Frame>
  );
}

export function CorrectForm({ agent, onClose, onProblem }: Shared) {
  const [statement, setStatement] = useState("");
  const [wrong, setWrong] = useState("");
  const [right, setRight] = useState("");
  const [undone, setUndone] = useState<readonly string[]>([]);
  const save = useMutation({
    mutationFn: () => correct(agent, { statement: statement.trim(), wrong, right }, onProblem),
    onSuccess: (problems) => (problems.length ? setUndone(problems) : onClose()),
  });
  return (
    <Frame
      deed="Put right"
      busy={save.isPending}
      empty={!statement.trim()}
      onDo={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="What is true"
        hint="One sentence. It holds at once, wherever memory says otherwise."
        value={statement}
        onChange={(event) => setStatement(event.target.value)}
        className="words"
      />
      <div className="grid grid-cols-2 gap-2">
        <Field
          label="Wrong words"
          placeholder="Tuesday"
          value={wrong}
          onChange={(e) => setWrong(e.target.value)}
        />
        <Field
          label="Right words"
          placeholder="Thursday"
          value={right}
          onChange={(e) => setRight(e.target.value)}
        />
      </div>
      {undone.map((each) => (
        <Note key={each} look="conflict">
          {each}
        </Note>
      ))}
      {save.isError && (
        <ProblemBox title="Not put right." error={save.error} safe="What you typed is still here." />
      )}
    </Frame>
  );
}

const KINDS = [
  { value: "knowledge", label: "Knowledge" },
  { value: "decision", label: "Decision" },
  { value: "event", label: "Event" },
  { value: "skill", label: "Skill" },
] as const;
type Kind = (typeof KINDS)[number]["value"];

export function RememberForm({
  agent,
  onClose,
  onProblem,
  onMade,
}: Shared & { onMade: (entry: string, path: string) => void }) {
  const [text, setText] = useState("");
  const [tag, setTag] = useState<Kind>("knowledge");
  const save = useMutation({
    mutationFn: () => remember(agent, { text: text.trim(), tag }, onProblem),
    onSuccess: (made) => onMade(made.entry, made.path),
  });
  return (
    <Frame
      deed="Remember"
      busy={save.isPending}
      empty={!text.trim()}
      onDo={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="What to remember"
        hint="It goes to MEMORY.md. Only you may see it."
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="words"
      />
      <Select
        label="Tag"
        shown
        value={tag}
        choices={KINDS}
        onChange={(value) => setTag(KINDS.find((each) => each.value === value)?.value ?? "knowledge")}
      />
      {save.isError && (
        <ProblemBox title="Not remembered." error={save.error} safe="Your words are still here." />
      )}
    </Frame>
  );
}
