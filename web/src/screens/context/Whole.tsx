/** The prompt word for word, and what was left out of it, for one view or two beside each other. */
import { useState } from "react";
import { Audience } from "../../parts/Audience";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Icon } from "../../parts/Icon";
import { Meta } from "../../parts/Meta";
import { Note } from "../../parts/Note";
import { toldLine } from "../../remembered";
import { counted, number, SLOT_NAMES } from "../../words";
import { Source } from "./Compare";
import { money } from "./Heads";
import { hiddenFrom, type Side } from "./rows";
import { nameOf, shortName } from "./views";

type Props = {
  agent: string;
  sides: readonly { id: "a" | "b"; side: Side; other: Side }[];
  you: string;
  shown: "a" | "b";
};

export function ExactPrompt({ sides, you, shown }: Props) {
  return (
    <div className={`both only-${shown}`}>
      {sides.map(({ id, side }) => (
        <section key={id} className={`half ${id}`} aria-label={`Exact prompt: ${nameOf(side.view, you)}`}>
          <Part title="System prompt" text={side.prompt.system} />
          <Part title="Memory and the message" text={side.prompt.text} />
          <p className="text-12 text-muted">
            {counted(side.prompt.tokens, "token")} with the instructions and the files
            {side.prompt.cost > 0 && `, costs ${money(side.prompt.cost)}`}
          </p>
          {side.prompt.warnings.map((each) => (
            <Note key={each} look="conflict">
              {each}
            </Note>
          ))}
        </section>
      ))}
    </div>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(() => setCopied(true));
  };
  return (
    <div className="part">
      <div className="row">
        <h2 className="label grow">
          {title} <span className="n">{counted(text.length, "character")}</span>
        </h2>
        <Button size="small" look="quiet" icon={copied ? "check" : "copy"} onClick={copy}>
          {copied ? "Copied" : "Copy"}
        </Button>
      </div>
      <pre className="file" tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}

export function LeftOut({ agent, sides, you, shown }: Props) {
  return (
    <div className={`both only-${shown}`}>
      {sides.map(({ id, side, other }) => (
        <section key={id} className={`half ${id}`} aria-label={`Left out: ${nameOf(side.view, you)}`}>
          <Kept side={side} other={other} you={you} />
          <LeftLines agent={agent} side={side} />
        </section>
      ))}
    </div>
  );
}

/** What the other view is told and this one may not see; this view's own receipt is silent about it. */
function Kept({ side, other, you }: { side: Side; other: Side; you: string }) {
  const kept = hiddenFrom(other, side, you).length;
  if (!kept) return null;
  return (
    <Note icon="lock">
      {counted(kept, "line")} of {shortName(other.view, you)} may not be seen here. The receipt of this
      conversation does not say that they exist.
    </Note>
  );
}

function LeftLines({ agent, side }: { agent: string; side: Side }) {
  const lines = side.prompt.context.receipt.left_out;
  if (!lines.length)
    return (
      <Empty icon="context" title="Nothing was left out">
        What does not fit into its slot, or stands in another one already, comes here with the reason.
      </Empty>
    );
  return (
    <ul className="grid gap-2">
      {lines.map((line) => {
        const { words, when } = toldLine(line.text, line.under);
        return (
          <li
            key={`${line.slot} ${line.document} ${line.entry} ${line.start_line} ${line.text}`}
            className="cl"
          >
            <p className="words">{words}</p>
            <Meta className="my-1">
              <span>{SLOT_NAMES[line.slot] ?? line.slot}</span>
              <span className="why">
                <Icon name="eyeoff" size="s" />
                {line.why}
              </span>
            </Meta>
            <div className="from">
              <Source agent={agent} line={line} when={when} />
              <span className="grow" />
              <Audience of={line.audience} />
              <span className="num">{number(line.tokens)}</span>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
