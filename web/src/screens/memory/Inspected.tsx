/** The entry that was chosen: what it says, where it stands, how it came here; edit, correct, forget. */
import { useIsMutating, useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { place } from "../../address";
import { corrections } from "../../api/queries";
import { Audience } from "../../parts/Audience";
import { Button } from "../../parts/Button";
import { Confidence, sureness } from "../../parts/Confidence";
import { Confirm } from "../../parts/Confirm";
import { Kind } from "../../parts/Kind";
import { Note } from "../../parts/Note";
import { ProblemBox } from "../../parts/ProblemBox";
import { Reading } from "../../parts/Reading";
import { entryWords, messageOf, wordsOf } from "../../remembered";
import { useKeys } from "../../shell/keys";
import { counted, moment, nearDay, times } from "../../words";
import { forget, oneEntry, placesOf, stale, type Whole } from "./deeds";
import { CorrectForm, EditForm } from "./Forms";
import { History } from "./History";
import { saidIn } from "./list";

/** Files that Oldsoul writes itself: their entries can be put right or forgotten, not edited. */
const READ_ONLY =
  /^(memory|Archive|SOUL_HISTORY|agents)\/|^(CORRECTIONS|CONFLICTS|CHANGELOG|COMPACTION_LOG)\.md$/;

type Props = {
  agent: string;
  /** What the agent is called. */
  name: string;
  entry: string;
  path: string;
  conflict: boolean;
  onGone: () => Promise<void>;
};

export function Inspected({ agent, name, entry, path, conflict, onGone }: Props) {
  // What is being forgotten is not asked for again.
  const forgetting = useIsMutating({ mutationKey: ["forget", entry] }) > 0;
  const read = useQuery({ ...oneEntry(agent, entry, path), enabled: !forgetting });
  return (
    <Reading of={read} what="Reading its history" lines={4}>
      {(whole) => (
        <Shown
          key={`${whole.path} ${whole.entry}`}
          agent={agent}
          name={name}
          entry={whole}
          conflict={conflict}
          onGone={onGone}
        />
      )}
    </Reading>
  );
}

type ShownProps = {
  agent: string;
  name: string;
  entry: Whole;
  conflict: boolean;
  onGone: () => Promise<void>;
};

function Shown({ agent, name, entry, conflict, onGone }: ShownProps) {
  const [form, setForm] = useState<"" | "edit" | "correct">("");
  const [problem, setProblem] = useState<unknown>();
  const [asking, setAsking] = useState(false);
  const editable = !READ_ONLY.test(entry.path);
  const { who, words } = entryWords(entry);
  const begin = (which: "edit" | "correct") => {
    setProblem(undefined);
    setForm(which);
  };
  useKeys([
    { keys: "c", does: "Correct the entry", run: () => begin("correct") },
    ...(editable ? [{ keys: "e", does: "Edit the entry", run: () => begin("edit") }] : []),
  ]);
  const close = () => setForm("");
  return (
    <div className="inspected">
      <p className="big">{words}</p>
      {form === "edit" ? (
        <EditForm agent={agent} entry={entry} onClose={close} onProblem={setProblem} />
      ) : form === "correct" ? (
        <CorrectForm agent={agent} onClose={close} onProblem={setProblem} />
      ) : (
        <div className="row">
          <Button size="small" icon="pen" keys="C" onClick={() => begin("correct")}>
            Correct
          </Button>
          {editable && (
            <Button size="small" keys="E" onClick={() => begin("edit")}>
              Edit
            </Button>
          )}
          <span className="grow" />
          <Button size="small" look="quiet" className="danger" onClick={() => setAsking(true)}>
            Forget
          </Button>
        </div>
      )}
      {problem !== undefined && <ProblemBox title="Not undone." error={problem} safe="Nothing was lost." />}
      <Facts agent={agent} entry={entry} said={saidIn(entry, who, name)} />
      {conflict && (
        <Note look="conflict" icon="split">
          Another entry disagrees.{" "}
          <Link to={place("review")} params={{ agent }} className="link">
            Settle it in Review
          </Link>
        </Note>
      )}
      <Check agent={agent} entry={entry} />
      <History agent={agent} changes={entry.history} />
      <Forget agent={agent} entry={entry} open={asking} onClose={() => setAsking(false)} onGone={onGone} />
    </div>
  );
}

function Facts({ agent, entry, said }: { agent: string; entry: Whole; said: string }) {
  const corrected = entry.tag === "correction" || entry.confidence >= 1;
  const number = messageOf(entry.source);
  return (
    <dl>
      <dt>Sure</dt>
      <dd>
        <Confidence of={entry.confidence} corrected={corrected} />
        <span className="muted">{corrected ? "you put it right" : sureness(entry.confidence)}</span>
      </dd>
      <dt>Seen by</dt>
      <dd>
        <Audience of={entry.audience} />
      </dd>
      <dt>Stands in</dt>
      <dd>
        <Link
          to={place("files")}
          params={{ agent }}
          search={{ file: entry.path, line: String(entry.line) } as never}
          className="link file"
        >
          {entry.path}:{entry.line}
        </Link>
      </dd>
      <dt>Said by</dt>
      <dd>
        {said}
        {number > 0 && (
          <Link
            to={place("chat")}
            params={{ agent }}
            search={{ message: String(number) } as never}
            className="link"
          >
            Open conversation
          </Link>
        )}
      </dd>
      {entry.added && (
        <>
          <dt>Learnt</dt>
          <dd>
            {nearDay(entry.added)}
            {entry.mentions > 1 && <span className="muted">mentioned {times(entry.mentions)}</span>}
          </dd>
        </>
      )}
      {entry.seen && entry.seen !== entry.added && (
        <>
          <dt>Last</dt>
          <dd>{nearDay(entry.seen)}</dd>
        </>
      )}
      {entry.used && (
        <>
          <dt>Used</dt>
          <dd>
            {counted(entry.used.times, "time")}, last {moment(entry.used.last)}
          </dd>
        </>
      )}
      {entry.superseded && (
        <>
          <dt>Now</dt>
          <dd>
            <Kind look="conflict" icon="archive">
              replaced by a newer entry
            </Kind>
          </dd>
        </>
      )}
    </dl>
  );
}

/** What was put right is a check that keepers' changes have to pass. */
function Check({ agent, entry }: { agent: string; entry: Whole }) {
  const { data } = useQuery({ ...corrections(agent), enabled: entry.tag === "correction" });
  const found = data?.corrections.find((each) => each.id === entry.entry);
  if (!found) return null;
  return (
    <Note look="ok" icon="seal">
      This is a check: every keeper’s change must still find “{found.right || found.correct}”.
    </Note>
  );
}

type ForgetProps = {
  agent: string;
  entry: Whole;
  open: boolean;
  onClose: () => void;
  onGone: () => Promise<void>;
};

function Forget({ agent, entry, open, onClose, onGone }: ForgetProps) {
  const gone = useMutation({
    mutationKey: ["forget", entry.entry],
    mutationFn: () => forget(agent, entry),
    onSuccess: async () => {
      onClose();
      await onGone();
      void stale(agent);
    },
  });
  const list = placesOf(entry);
  return (
    <Confirm
      open={open}
      title="Forget this for good?"
      deed={`Forget in ${counted(list.length, "place")}`}
      busy={gone.isPending}
      onDo={() => gone.mutate()}
      onClose={onClose}
    >
      <p className="words text-text">{wordsOf(entry.text)}</p>
      <p>It is erased for good. This cannot be undone. It stands in:</p>
      <ul className="grid gap-1">
        {list.map((each) => (
          <li key={each} className={each.endsWith(".md") ? "file" : "text-12"}>
            {each}
          </li>
        ))}
      </ul>
      {gone.isError && <ProblemBox title="Not forgotten." error={gone.error} safe="Nothing was erased." />}
    </Confirm>
  );
}
