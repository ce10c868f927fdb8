/** What "Wrong?" opens on a line that was used: put it right, or forget it for good. */
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { place } from "../../address";
import { api, read } from "../../api/client";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { Field } from "../../parts/Field";
import { ProblemBox } from "../../parts/ProblemBox";
import { toast } from "../../parts/Toast";
import { CONFLICTS, type Told } from "./cited";

export type Fixed = { kind: "right"; words: string } | { kind: "forgotten" };

type Props = { agent: string; line: Told; onFixed: (fixed: Fixed | null) => void; close: () => void };

export function Fix({ agent, line, onFixed, close }: Props) {
  const [words, setWords] = useState(line.sentence);
  const [asking, setAsking] = useState(false);
  const right = useMutation({
    mutationFn: (statement: string) =>
      read(
        api.POST("/api/agents/{name}/corrections", {
          params: { path: { name: agent } },
          body: { statement, wrong: line.sentence, right: line.sentence && statement },
        }),
      ),
    onSuccess: (_, statement) => {
      onFixed({ kind: "right", words: statement });
      toast("Put right. It holds from the next reply.", () => void takeBack(agent, statement, onFixed));
      close();
    },
  });
  const forget = useMutation({
    mutationFn: () => erase(agent, line),
    onSuccess: () => {
      setAsking(false);
      onFixed({ kind: "forgotten" });
      toast("Forgotten for good.");
      close();
    },
    onError: () => setAsking(false),
  });
  if (line.document === "SOUL.md" || line.document === "USER.md")
    return (
      <p className="soft">
        This is told before every reply.{" "}
        <Link
          className="link"
          to={place("files")}
          params={{ agent }}
          search={{ file: line.document, line: String(line.line) }}
        >
          Edit {line.document}
        </Link>
      </p>
    );
  if (line.document === CONFLICTS)
    return (
      <p className="soft">
        Two memories disagree, and nobody has settled it.{" "}
        <Link className="link" to={place("review")} params={{ agent }}>
          Settle it in Review
        </Link>
      </p>
    );
  const stated = words.trim();
  return (
    <form
      className="fix-form"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (stated && stated !== line.sentence && !right.isPending) right.mutate(stated);
      }}
    >
      <Field
        label="What is right?"
        value={words}
        ref={takeFocus}
        onChange={(event) => setWords(event.target.value)}
        hint={
          line.sentence ? (
            <>
              Changes <span className="file">{line.place}</span>, wherever it stands, and becomes a check.
            </>
          ) : (
            "One sentence. It becomes a check, and is told first from now on."
          )
        }
      />
      {right.isError && (
        <ProblemBox title="Not put right." error={right.error} safe="Your text is still here." />
      )}
      {forget.isError && <ProblemBox title="Not forgotten." error={forget.error} />}
      <div className="row wrap">
        <Button
          look="main"
          size="small"
          keys="enter"
          type="submit"
          disabled={!stated || stated === line.sentence || right.isPending}
        >
          Put it right
        </Button>
        {line.entry && !line.isRight && (
          <Button look="quiet" size="small" onClick={() => setAsking(true)}>
            Forget it instead
          </Button>
        )}
      </div>
      <Confirm
        open={asking}
        title="Forget this for good?"
        deed="Forget it for good"
        busy={forget.isPending}
        onDo={() => forget.mutate()}
        onClose={() => setAsking(false)}
      >
        <p className="words">{line.words}</p>
        <p>
          {line.entry.startsWith("m:")
            ? "The words of this message are erased, and what was learnt from it alone. This cannot be undone."
            : "It is erased in every version, with what rests on it alone and copies of its sentences. This cannot be undone."}
        </p>
      </Confirm>
    </form>
  );
}

/** The words are chosen, so that typing replaces them. */
function takeFocus(input: HTMLInputElement | null): void {
  if (!input || document.activeElement === input) return;
  input.focus();
  input.select();
}

function erase(agent: string, line: Told): Promise<unknown> {
  if (line.entry.startsWith("m:"))
    return read(
      api.DELETE("/api/agents/{name}/messages/{number}", {
        params: { path: { name: agent, number: Number(line.entry.slice(2)) } },
      }),
    );
  return read(
    api.DELETE("/api/agents/{name}/entries/{entry}", {
      params: { path: { name: agent, entry: line.entry }, query: { path: line.document } },
    }),
  );
}

/** The correction that says so, the newest if there are several, is taken back with everything it changed. */
async function takeBack(agent: string, statement: string, onFixed: (fixed: null) => void): Promise<void> {
  const { corrections } = await read(
    api.GET("/api/agents/{name}/corrections", {
      params: { path: { name: agent }, query: { limit: 1000 } },
    }),
  );
  const made = corrections.findLast((each) => each.correct === statement);
  if (!made) return;
  await read(
    api.DELETE("/api/agents/{name}/corrections/{correction}", {
      params: { path: { name: agent, correction: made.id } },
    }),
  );
  onFixed(null);
  toast("Taken back.");
}
