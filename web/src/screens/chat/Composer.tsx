/** Where the person writes. What is typed stays until the server has it. */
import { useLayoutEffect, useRef } from "react";
import { Button } from "../../parts/Button";
import { keyName } from "../../parts/keyNames";
import { ProblemBox } from "../../parts/ProblemBox";
import { useKeys } from "../../shell/keys";
import { useStore } from "../../store";
import { drafts, placeOfTalk, saying, send, setDraft, stop, type TalkSession } from "./talk";

type Props = {
  agent: string;
  name: string;
  session: TalkSession;
};
const HIGHEST = 200;

export function Composer({ agent, name, session }: Props) {
  const where = placeOfTalk(agent, session.id);
  const text = useStore(drafts).get(where) ?? "";
  const now = useStore(saying).get(where);
  const busy = now?.state === "sending" || now?.state === "answering";
  const box = useRef<HTMLTextAreaElement>(null);

  // It grows with what is typed.
  useLayoutEffect(() => {
    const area = box.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, HIGHEST)}px`;
  });

  const say = () => {
    if (!text.trim() || busy) return;
    // The same words again are the same attempt.
    const again = now?.state === "refused" && now.text === text ? now.key : undefined;
    void send(agent, session, text, again);
  };
  useKeys([
    { keys: "e", does: `Write to ${name}`, run: () => box.current?.focus() },
    { keys: "mod+enter", does: "Send", run: say },
  ]);
  return (
    <form
      className="compose"
      onSubmit={(event) => {
        event.preventDefault();
        say();
      }}
    >
      {now?.state === "refused" && (
        <ProblemBox
          title="Not sent."
          error={now.error}
          safe="Your text is still here."
          onRetry={text.trim() ? say : undefined}
        />
      )}
      <div className="box">
        <textarea
          ref={box}
          rows={1}
          aria-label={`Write to ${name}`}
          placeholder={`Write to ${name}`}
          value={text}
          onChange={(event) => setDraft(where, event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
          }}
        />
        {busy ? (
          <Button icon="stop" label={`Stop ${name}`} onClick={() => stop(where)} />
        ) : (
          <>
            <kbd aria-hidden="true">{keyName("mod+enter")}</kbd>
            <Button look="main" icon="send" label="Send" type="submit" disabled={!text.trim()} />
          </>
        )}
      </div>
    </form>
  );
}
