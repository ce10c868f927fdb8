/** The receipt of a reply: what it names, what else the agent was told, what it is always told, what was left out and why. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { place } from "../../address";
import { entries, settings } from "../../api/queries";
import { Icon } from "../../parts/Icon";
import { ReceiptLine } from "../../parts/ReceiptLine";
import { TokenBar } from "../../parts/TokenBar";
import { counted, number } from "../../words";
import { cited, type Reply, readReceipt, type Told } from "./cited";
import { Fix, type Fixed } from "./Fix";

type Props = {
  agent: string;
  name: string;
  reply: Reply;
  /** The message it answers, for Context. */
  asked: string;
  /** The cited line that was asked for. */
  source: number;
};
const FIRST = 6;

/** A number of the settings that can be read; undefined where this login may not. */
export function useSetting(path: string): unknown {
  return useQuery(settings()).data?.settings.find((each) => each.path === path)?.value;
}

/** How sure each entry is, for the files that the lines come from. */
function useSureness(agent: string, lines: readonly Told[]): ReadonlyMap<string, number> {
  const files = [...new Set(lines.filter(isMemory).map((each) => each.document))];
  return useQueries({
    queries: files.map((path) => entries(agent, { path, limit: 1000 })),
    combine: (results) =>
      new Map(
        results.flatMap(({ data }) =>
          (data?.entries ?? []).map((each): [string, number] => [each.entry, each.confidence]),
        ),
      ),
  });
}

const isMemory = (line: Told) =>
  line.entry !== "" &&
  !line.entry.startsWith("m:") &&
  !line.document.startsWith("memory/") &&
  line.slot !== "identity";

export function Receipt({ agent, name, reply, asked, source }: Props) {
  const read = useMemo(() => readReceipt(reply), [reply]);
  const sure = useSureness(agent, [...read.cited, ...read.told]);
  const budget = Number(useSetting("context.budget_tokens") ?? 0);
  const lines = useRef<HTMLOListElement>(null);
  const [all, setAll] = useState(false);
  const [fixed, setFixed] = useState<ReadonlyMap<string, Fixed>>(new Map());

  useEffect(() => {
    if (source > 0) lines.current?.children[source - 1]?.scrollIntoView({ block: "nearest" });
  }, [source]);

  const row = (line: Told) => {
    const done = fixed.get(line.key);
    return done ? (
      <Done key={line.key} line={line} fixed={done} />
    ) : (
      <ReceiptLine
        key={line.key}
        number={line.number}
        words={line.words}
        place={line.place}
        confidence={line.isRight ? 1 : sure.get(line.entry)}
        audience={line.audience}
        marked={source > 0 && line.number === source}
        fix={(close) => (
          <Fix
            agent={agent}
            line={line}
            close={close}
            onFixed={(now) => {
              setFixed((before) => {
                const next = new Map(before);
                if (now) next.set(line.key, now);
                else next.delete(line.key);
                return next;
              });
            }}
          />
        )}
      />
    );
  };
  const more = read.told.length - FIRST;
  return (
    <div className="why-pane">
      <div className="lead">
        <p className="soft">
          Told to {name} before {quoted(reply.text)}
        </p>
        <TokenBar slots={read.slots} budget={Math.max(budget, read.tokens)} />
        <p className="meta">
          {budget ? `${number(read.tokens)} of ${counted(budget, "token")}` : counted(read.tokens, "token")}
          {reply.answer && `, recall: ${reply.answer}`}
        </p>
      </div>
      <div className="lines">
        {read.cited.length > 0 && (
          <Section title="Cited in the reply">
            <ol ref={lines}>{read.cited.map(row)}</ol>
          </Section>
        )}
        <Section title={read.cited.length ? "Told as well" : "Told"}>
          {read.told.length ? (
            <ol>{(all ? read.told : read.told.slice(0, FIRST)).map(row)}</ol>
          ) : (
            <p className="soft py-2">Nothing from memory.</p>
          )}
          {more > 0 && (
            <button type="button" className="link more" aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? "Show fewer" : `Show ${counted(more, "more memory", "more memories")}`}
            </button>
          )}
        </Section>
        {read.always.length > 0 && (
          <details>
            <summary className="label">
              Told before every reply <span className="n">{counted(read.always.length, "line")}</span>
            </summary>
            <ol>{read.always.map(row)}</ol>
          </details>
        )}
        {read.leftOut.length > 0 && (
          <details>
            <summary className="label">
              Left out <span className="n">{read.leftOut.length}</span>
            </summary>
            <ol>
              {read.leftOut.map((line) => (
                <li key={line.key} className="receipt out">
                  <span />
                  <p className="words">{line.words}</p>
                  <span />
                  <p className="meta">
                    <span className="file">{line.place}</span> {line.why}
                  </p>
                </li>
              ))}
            </ol>
          </details>
        )}
      </div>
      <footer>
        <Link className="link" to={place("context")} params={{ agent }} search={{ q: asked }}>
          Open in Context
        </Link>
        <span className="grow" />
        <span className="muted">{read.leftOut.length || "nothing"} left out</span>
      </footer>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="label">{title}</h3>
      {children}
    </section>
  );
}

/** A line that is no longer as it was told. */
function Done({ line, fixed }: { line: Told; fixed: Fixed }) {
  return (
    <li className="receipt done">
      <span className="no">{line.number}</span>
      <div>
        <p className="words old">{fixed.kind === "right" ? line.words : "Forgotten"}</p>
        {fixed.kind === "right" && <p className="words">{fixed.words}</p>}
      </div>
      <span />
      <p className="meta">
        {fixed.kind === "right" ? (
          <span className="conf corrected">
            <Icon name="seal" /> You put this right. It holds from the next reply.
          </span>
        ) : (
          "Erased for good."
        )}
      </p>
    </li>
  );
}

/** How a reply begins. */
function quoted(text: string): string {
  const words = cited(text)
    .text.replace(/\[\d+\]\(#cite-\d+\)/g, "")
    .replace(/[*_`#]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (words.length <= 40) return `“${words}”`;
  return `“${words.slice(0, 38).replace(/\s+\S*$/, "")} …”`;
}
