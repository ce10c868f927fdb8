/** Two versions beside their reasons: what differs, why, and the way back. */
import { useMutation, useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { place } from "../../address";
import { api, read, type Schemas } from "../../api/client";
import { message, queryClient } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Diff } from "../../parts/Diff";
import { Evidence } from "../../parts/Evidence";
import { Loading } from "../../parts/Loading";
import { Note } from "../../parts/Note";
import { ProblemBox } from "../../parts/ProblemBox";
import { Segmented } from "../../parts/Segmented";
import { Select } from "../../parts/Select";
import { toast } from "../../parts/Toast";
import { author, clock, counted, moment, number, origin, person, shortDay } from "../../words";
import { SOUL, sectionOf, soulAt, type Version } from "./versions";

type Props = {
  agent: string;
  versions: readonly Version[];
  from?: Version;
  to: Version;
  show: string;
  onFrom: (version: string) => void;
  onTo: (version: string) => void;
  onShow: (show: string) => void;
};

export function Compare({ agent, versions, from, to, show, onFrom, onTo, onShow }: Props) {
  const after = useQuery(soulAt(agent, to.version));
  const before = useQuery({ ...soulAt(agent, from?.version ?? 0), enabled: from !== undefined });
  const error = after.error ?? before.error;
  const isReady = after.data !== undefined && (!from || before.data !== undefined);
  const old = before.data?.text ?? "";
  const now = after.data?.text ?? "";
  const next = versions[versions.findIndex((each) => each.version === to.version) + 1];
  const isStep = from?.version === next?.version;
  const choices = versions.map((each) => ({ value: String(each.version), label: dated(each) }));
  const whole = show === "whole";
  return (
    <article className="compare" aria-label="Two versions">
      <div className="inside">
        <div className="picks">
          {from && (
            <>
              <Select
                label="From"
                shown
                before={<i className="dot from" />}
                value={String(from.version)}
                choices={choices}
                onChange={onFrom}
              />
              <Select
                label="to"
                shown
                before={<i className="dot to" />}
                value={String(to.version)}
                choices={choices}
                onChange={onTo}
              />
              <span className="grow" />
              <Segmented
                label="Show"
                value={whole ? "whole" : "changes"}
                choices={[
                  { value: "changes", label: "Changes" },
                  { value: "whole", label: "Whole file" },
                ]}
                onChange={onShow}
              />
            </>
          )}
        </div>
        <h2>{isStep ? to.title : `From ${shortDay(from?.at ?? to.at)} to ${shortDay(to.at)}`}</h2>
        <p className="soft lead">{isStep ? told(to) : between(versions, from, to)}</p>
        {error ? (
          <ProblemBox
            title="The versions could not be read."
            error={error}
            onRetry={() => {
              void after.refetch();
              if (from) void before.refetch();
            }}
          />
        ) : !isReady ? (
          <Loading what="Reading the versions" lines={4} />
        ) : old === now ? (
          <Note>Both say the same.</Note>
        ) : (
          <Diff
            key={`${from?.version} ${to.version} ${whole}`}
            before={old}
            after={now}
            path={SOUL}
            section={from ? sectionOf(old, now) : undefined}
            aside={
              from ? `${number(from.tokens)} → ${counted(to.tokens, "token")}` : counted(to.tokens, "token")
            }
            whole={whole}
          />
        )}
        {isStep && <Why agent={agent} to={to} />}
        {isStep && next && to.more !== 0 && (
          <p className="meta since">
            {versions[0]?.version === to.version
              ? `It is in every prompt, for everyone, and ${to.more > 0 ? `costs ${counted(to.more, "token")} more` : `saves ${counted(-to.more, "token")}`} each time.`
              : ""}
          </p>
        )}
      </div>
      <Back agent={agent} versions={versions} from={from} to={to} isStep={isStep} />
    </article>
  );
}

function dated(of: Version): string {
  return `${shortDay(of.at)}, ${clock(of.at)}`;
}

/** How a version came to be. */
function told(to: Version): string {
  const who = author(to.author);
  const reason = to.reason.replace(/\.$/, "").replace(/\d{4}-\d{2}-\d{2}/g, (day) => shortDay(day));
  if (!to.approved_by) return `${who}, ${moment(to.at)}: ${reason}.`;
  return `${who} proposed it: ${reason}. ${author(to.approved_by)} approved it, ${moment(to.at)}.`;
}

function between(versions: readonly Version[], from: Version | undefined, to: Version): string {
  const at = (of?: Version) => versions.findIndex((each) => each.version === of?.version);
  const apart = at(from) - at(to);
  if (apart === 0) return "The same version twice. Choose another one to compare it with.";
  if (apart < 0) return "The older version is on the right: what is red here was added since.";
  return `${counted(apart, "change")} lie between them.`;
}

/** What was said that led to it. */
function Why({ agent, to }: { agent: string; to: Version }) {
  const evidence = to.made?.evidence ?? [];
  const numbers = evidence.map((each) => Number(/^m:(\d+)$/.exec(each.ref)?.[1] ?? 0));
  const messages = useQueries({
    queries: numbers.map((each) => ({ ...message(agent, each), enabled: each > 0 })),
  });
  if (!evidence.length) return null;
  return (
    <>
      <h3 className="label">Why</h3>
      <div className="quotes">
        {evidence.map((each, i) => (
          <Quote key={each.ref} agent={agent} of={each} number={numbers[i] ?? 0} found={messages[i]?.data} />
        ))}
      </div>
    </>
  );
}

type QuoteProps = {
  agent: string;
  of: Schemas["EvidenceShown"];
  number: number;
  found?: Schemas["MessageShown"];
};

function Quote({ agent, of, number: at, found }: QuoteProps) {
  const whole = found?.text ?? "";
  const isPart = whole.includes(of.quote) && whole !== of.quote;
  const who = !found
    ? origin(of.origin)
    : found.origin === "operator"
      ? "You"
      : found.sender || (found.subject ? person(found.subject) : origin(found.origin));
  return (
    <Evidence
      quote={isPart ? whole : of.quote || whole || of.ref}
      marked={isPart ? of.quote : ""}
      who={who}
      when={found && moment(found.time)}
      audience={found?.audience ?? of.audience}
      open={
        at > 0 && (
          <Link className="link" to={place("chat")} params={{ agent }} search={{ message: String(at) }}>
            Open conversation
          </Link>
        )
      }
    />
  );
}

type BackProps = Pick<Props, "agent" | "versions" | "from" | "to"> & { isStep: boolean };

/** The way back: one change undone, or a whole version restored. Nothing is lost by either. */
function Back({ agent, versions, from, to, isStep }: BackProps) {
  const [notUndone, setNotUndone] = useState<Error>();
  const again = () => void queryClient.invalidateQueries({ queryKey: ["soul", agent] });
  const undo = (change: number) =>
    read(
      api.POST("/api/agents/{name}/changes/{number}/undo", {
        params: { path: { name: agent, number: change } },
        body: { bases: {} },
      }),
    );
  const undone = (change: number | null | undefined, words: string) => {
    again();
    const back = change
      ? () => {
          void undo(change).then(() => {
            again();
            toast("Undone.");
          }, setNotUndone);
        }
      : undefined;
    toast(words, back);
  };
  const takeBack = useMutation({
    mutationFn: () => undo(to.version),
    onSuccess: (made) => undone(made.change, "Taken back. It holds from the next reply."),
  });
  const rollBack = useMutation({
    mutationFn: (version: number) =>
      read(
        api.POST("/api/agents/{name}/soul/rollback", {
          params: { path: { name: agent } },
          body: { version: String(version) },
        }),
      ),
    onSuccess: (made) => undone(made.change, "Rolled back. It holds from the next reply."),
  });
  const busy = takeBack.isPending || rollBack.isPending;
  const failed = takeBack.error ?? rollBack.error ?? notUndone;
  const newest = versions[0];
  // What stands now cannot be rolled back to.
  const target = to.version === newest?.version ? from : to;
  const canRoll = target && target.hash !== newest?.hash;
  if (!canRoll && !(isStep && from)) return null;
  return (
    <footer className="decide">
      {failed && <ProblemBox title="SOUL.md is as it was." error={failed} />}
      {isStep && from && (
        <Button icon="undo" disabled={busy} onClick={() => takeBack.mutate()}>
          Take back this change
        </Button>
      )}
      {canRoll && (
        <Button
          look={isStep && from ? "quiet" : "plain"}
          disabled={busy}
          onClick={() => rollBack.mutate(target.version)}
        >
          Roll back to {dated(target)}
        </Button>
      )}
      <span className="grow" />
      <span className="meta only-desk">Later versions are kept</span>
    </footer>
  );
}
