/** Two prompts slot by slot. Rows stay level; a dashed cell says what is absent, and why. */
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { place } from "../../address";
import { Audience } from "../../parts/Audience";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { Swatch } from "../../parts/TokenBar";
import { messageOf, toldLine } from "../../remembered";
import { useKeys } from "../../shell/keys";
import { counted, moment, number, SLOT_NAMES, shortDay } from "../../words";
import { money } from "./Heads";
import { hiddenFrom, isHidden, type Line, type Row, type Side, slotRows, summary, whyAbsent } from "./rows";
import { isYours } from "./seeing";
import { shortName } from "./views";

const FEW = 6;
const OPEN = new Set(["corrections", "recall", "people", "long_term", "external"]);
const NOTHING: Record<string, string> = {
  corrections: "nothing was put right",
  recall: "nothing was found",
  people: "nobody is named",
  external: "no other program adds anything",
};

type Props = { agent: string; a: Side; b: Side; you: string; shown: "a" | "b" };

export function Compare({ agent, a, b, you, shown }: Props) {
  const slots = slotRows(a.prompt, b.prompt).filter(
    (slot) => slot.rows.length > 0 || slot.name !== "external",
  );
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState<{ id: string; count: number }>({ id: "", count: 0 });
  const area = useRef<HTMLDivElement>(null);
  const isOpen = (name: string) => OPEN.has(name) !== turned.has(name);
  const turn = (name: string) => {
    const next = new Set(turned);
    if (!next.delete(name)) next.add(name);
    setTurned(next);
  };
  const differences = slots.flatMap((slot) =>
    slot.rows
      .filter((row) => !row.a || !row.b)
      .map((row) => ({ slot: slot.name, id: `${slot.name} ${row.key}` })),
  );
  const next = () => {
    const found = differences.findIndex((each) => each.id === at.id);
    const to = differences[(found + 1) % differences.length];
    if (!to) return;
    if (!isOpen(to.slot)) turn(to.slot);
    setWhole(new Set([...whole, to.slot]));
    setAt({ id: to.id, count: at.count + 1 });
  };
  useKeys(differences.length ? [{ keys: "n", does: "Next difference", run: next }] : []);
  useEffect(() => {
    if (!at.count) return;
    const row = area.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(at.id)}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "center" });
  }, [at]);

  return (
    <>
      <div className={`slots only-${shown}`} ref={area}>
        {slots.map((slot) => {
          const open = isOpen(slot.name);
          const many = slot.rows.length > FEW + 1 && !whole.has(slot.name);
          const rows = many ? slot.rows.slice(0, FEW) : slot.rows;
          const rest = slot.rows.slice(rows.length);
          return (
            <section key={slot.name} className="slot" aria-label={SLOT_NAMES[slot.name] ?? slot.name}>
              <SlotHead
                side={a}
                other={b}
                slot={slot}
                which="a"
                open={open}
                you={you}
                onTurn={() => turn(slot.name)}
              />
              <SlotHead
                side={b}
                other={a}
                slot={slot}
                which="b"
                open={open}
                you={you}
                onTurn={() => turn(slot.name)}
              />
              {open &&
                rows.map((row) => (
                  <Pair key={row.key} id={`${slot.name} ${row.key}`} on={at.id === `${slot.name} ${row.key}`}>
                    <Cell agent={agent} line={row.a} absent={row.b} side={a} you={you} />
                    <Cell agent={agent} line={row.b} absent={row.a} side={b} you={you} />
                  </Pair>
                ))}
              {open && rest.length > 0 && (
                <Pair id="">
                  <Rest rows={rest} which="a" onAll={() => setWhole(new Set([...whole, slot.name]))} />
                  <Rest rows={rest} which="b" onAll={() => setWhole(new Set([...whole, slot.name]))} />
                </Pair>
              )}
            </section>
          );
        })}
      </div>
      <Sum a={a} b={b} you={you} differences={differences.length} onNext={next} />
    </>
  );
}

type SlotHeadProps = {
  side: Side;
  other: Side;
  slot: { slot: number; name: string; rows: readonly Row[] };
  which: "a" | "b";
  open: boolean;
  you: string;
  onTurn: () => void;
};

function SlotHead({ side, other, slot, which, open, you, onTurn }: SlotHeadProps) {
  const filled = side.prompt.context.slots.find((each) => each.name === slot.name);
  const lines = slot.rows.flatMap((row) => row[which] ?? []);
  const theirs = slot.rows.flatMap((row) => row[which === "a" ? "b" : "a"] ?? []);
  const tokens = filled?.tokens ?? 0;
  const most = Math.max(filled?.budget ?? 0, tokens > (filled?.budget ?? 0) ? (filled?.allowed ?? 0) : 0);
  const same = which === "b" && lines.length > 0 && slot.rows.every((row) => row.a && row.b);
  const hidden = !lines.length && theirs.length > 0 && theirs.every((line) => isHidden(line, side, you));
  const owner = isYours(other.view, you) ? "only you may see it" : "nobody here may see it";
  const said = same
    ? "the same"
    : hidden
      ? owner
      : lines.length
        ? open
          ? ""
          : summary(lines)
        : (NOTHING[slot.name] ?? "nothing");
  return (
    <button
      type="button"
      className={`sh ${which} ${tokens ? "" : "none"}`}
      aria-expanded={open}
      onClick={onTurn}
    >
      <Icon name={open ? "down" : "right"} size="s" />
      <Swatch slot={slot.slot} faint={!tokens} />
      <b className="strong">{SLOT_NAMES[slot.name] ?? slot.name}</b>
      <span className="muted truncate">{said}</span>
      <span className="grow" />
      <span className="num muted nowrap">
        {number(tokens)} of {number(most)}
        {filled && filled.cost > 0 && <span className="only-desk"> · {money(filled.cost)}</span>}
      </span>
    </button>
  );
}

function Pair({ id, on = false, children }: { id: string; on?: boolean; children: ReactNode }) {
  return (
    <div className={`pair ${on ? "on" : ""}`} data-row={id} tabIndex={-1}>
      {children}
    </div>
  );
}

type CellProps = { agent: string; line?: Line; absent?: Line; side: Side; you: string };

function Cell({ agent, line, absent, side, you }: CellProps) {
  if (!line)
    return (
      <div className="cl gone">
        <Icon name="eyeoff" />
        <span>{absent ? whyAbsent(absent, side, you) : ""}</span>
      </div>
    );
  const { words, when } = toldLine(line.text, line.under);
  return (
    <div className="cl">
      <p className="words">{words}</p>
      <div className="from">
        <Source agent={agent} line={line} when={when} />
        {line.score > 0 && (
          <span className="best" title="How well it fits the message">
            {line.score.toFixed(2)}
          </span>
        )}
        <span className="grow" />
        <Audience of={line.audience} />
        <span className="num" title={counted(line.tokens, "token")}>
          {number(line.tokens)}
          <span className="hidden-text"> tokens</span>
        </span>
      </div>
    </div>
  );
}

/** Where a line comes from, as a link that opens there. */
export function Source({
  agent,
  line,
  when,
}: {
  agent: string;
  line: Pick<Line, "document" | "start_line" | "entry">;
  when: string;
}) {
  const message = messageOf(line.entry);
  if (message)
    return (
      <Link
        to={place("chat")}
        params={{ agent }}
        search={{ message: String(message) } as never}
        className="link file"
      >
        message {message}
        {when && (
          <span className="only-desk">
            , {when.length > 10 ? moment(when.replace(" ", "T")) : shortDay(when)}
          </span>
        )}
      </Link>
    );
  if (!/\.[a-z]+$/i.test(line.document)) return <span className="file">{line.document}</span>;
  const search = { file: line.document, ...(line.start_line ? { line: String(line.start_line) } : {}) };
  return (
    <Link to={place("files")} params={{ agent }} search={search as never} className="link file">
      {line.document}
      {line.start_line ? `:${line.start_line}` : ""}
    </Link>
  );
}

function Rest({ rows, which, onAll }: { rows: readonly Row[]; which: "a" | "b"; onAll: () => void }) {
  const here = rows.filter((row) => row[which]).length;
  if (here === 0)
    return (
      <div className="cl gone small">
        <Icon name="eyeoff" />
        <span>{counted(rows.length, "more line is", "more lines are")} not here.</span>
      </div>
    );
  return (
    <button type="button" className="cl more" onClick={onAll}>
      {counted(here, "more line")}
      {here < rows.length && `, ${rows.length - here} not here`}
    </button>
  );
}

type SumProps = { a: Side; b: Side; you: string; differences: number; onNext: () => void };

/** What the comparison comes to, in a sentence. */
function Sum({ a, b, you, differences, onNext }: SumProps) {
  const hidden = hiddenFrom(a, b, you).length;
  const theirs = hiddenFrom(b, a, you).length;
  const name = shortName(b.view, you);
  const mine = isYours(a.view, you);
  return (
    <footer className="sum">
      <Icon name="lock" />
      <p className="grow">
        {hidden > 0 ? (
          <>
            <b className="strong">{counted(hidden, "line")}</b>{" "}
            {mine
              ? `${hidden === 1 ? "is" : "are"} for you alone and ${hidden === 1 ? "is" : "are"} not in ${name}.`
              : `of ${shortName(a.view, you)} may not be seen in ${name}.`}{" "}
          </>
        ) : (
          <>
            Nothing of {shortName(a.view, you)} is kept from {name}.{" "}
          </>
        )}
        <span className="muted">
          {theirs > 0
            ? `${counted(theirs, "line")} of ${name} ${theirs === 1 ? "is" : "are"} kept from ${shortName(a.view, you)}.`
            : mine
              ? `Nothing is in ${name} that you would not see.`
              : ""}
        </span>
      </p>
      <Button size="small" look="quiet" keys="N" disabled={!differences} onClick={onNext}>
        {differences ? "Next difference" : "No difference"}
      </Button>
    </footer>
  );
}
