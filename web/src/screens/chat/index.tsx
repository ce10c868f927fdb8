/** Chat: a conversation with the agent, and beside it what each reply was told. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { place, useAgent, useParam } from "../../address";
import { api, read } from "../../api/client";
import { me, queryClient } from "../../api/queries";
import { Audience } from "../../parts/Audience";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Inspector, useInspector } from "../../parts/Inspector";
import { Loading } from "../../parts/Loading";
import { Note } from "../../parts/Note";
import { ProblemBox } from "../../parts/ProblemBox";
import { toast } from "../../parts/Toast";
import { TopBar } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { useKeys } from "../../shell/keys";
import { useStore } from "../../store";
import { clock, counted, daysAgo, nearDay } from "../../words";
import { Composer } from "./Composer";
import { Receipt, useSetting } from "./Receipt";
import { Sessions } from "./Sessions";
import { audienceOfSession, isOwn, nameOfSession, type Shown, useShown } from "./shown";
import { Thread } from "./Thread";
import { receipts } from "./talk";
import "./chat.css";

export default function Chat() {
  const agent = useAgent();
  const name = useAgentName(agent);
  const shown = useShown(agent);
  const self = useQuery(me()).data?.person;
  const navigate = useNavigate();
  const [marked] = useParam("message");
  const [why, setWhy] = useParam("why");
  const [source, setSource] = useState(0);
  const [open, setOpen] = useInspector();
  const told = useStore(receipts);
  const mine = !shown.session || isOwn(shown.session, self);
  const audience = shown.session ? audienceOfSession(shown.session, self) : "owner";
  // The latest reply is the one that is asked about, until another one is chosen.
  const latest = Math.max(
    0,
    ...[...told.keys()].filter((key) => key.startsWith(`${agent} `)).map((key) => Number(key.split(" ")[1])),
  );
  const [newest, setNewest] = useState(latest);
  useEffect(() => {
    if (latest <= newest) return;
    setNewest(latest);
    setWhy("");
    setSource(0);
  }, [latest, newest, setWhy]);
  const chosen = Number(why) || latest;
  const reply = told.get(`${agent} ${chosen}`);

  useKeys([
    {
      keys: "n",
      does: "New session",
      run: () => void navigate({ to: place("chat"), params: { agent }, search: { session: "new" } as never }),
    },
    { keys: "w", does: "Why", run: () => setOpen(!open) },
  ]);

  return (
    <>
      <TopBar title="Chat" fact={<Fact name={name} shown={shown} self={self} audience={audience} />}>
        <Sessions agent={agent} chosen={shown.id} />
        {shown.session && <End key={shown.id} agent={agent} shown={shown} />}
      </TopBar>
      <div className="body chat">
        <section className="thread" aria-label={`Conversation with ${name}`}>
          {shown.error ? (
            <div className="p-4">
              <ProblemBox title="This conversation cannot be shown." error={shown.error}>
                <Link className="btn small" to={place("chat")} params={{ agent }} search={{ session: "new" }}>
                  New session
                </Link>
              </ProblemBox>
            </div>
          ) : !shown.isReady ? (
            <Loading what="Reading the conversation" lines={4} />
          ) : (
            <>
              <Thread
                key={shown.id}
                agent={agent}
                name={name}
                shown={shown}
                marked={Number(marked)}
                why={open ? chosen : 0}
                onWhy={(at, cited = 0) => {
                  const same = open && at === chosen && !cited;
                  setWhy(String(at));
                  setSource(cited);
                  setOpen(!same);
                }}
                empty={
                  <Empty icon="chat" title={`Nothing said to ${name} yet`}>
                    Ask something, or tell {name} what to remember. What it was told for each reply appears
                    beside it.
                  </Empty>
                }
              />
              {mine ? (
                <>
                  <WithoutModel name={name} />
                  <Composer
                    agent={agent}
                    name={name}
                    session={
                      shown.session
                        ? { id: shown.id }
                        : { id: shown.id, kind: "dm", subject: self ?? undefined }
                    }
                  />
                </>
              ) : (
                <ReadOnly agent={agent} name={name} shown={shown} self={self} />
              )}
            </>
          )}
        </section>
        <Inspector title="Why" width={388}>
          {reply ? (
            <Receipt
              key={chosen}
              agent={agent}
              name={name}
              reply={reply}
              asked={askedOf(agent, shown.id, reply.message)}
              source={source}
            />
          ) : (
            <Empty icon="context" title="The receipt of each reply appears here">
              What {name} was told, what it named, and what was left out. It is kept while this page is open.
            </Empty>
          )}
        </Inspector>
      </div>
    </>
  );
}

/** The text of a message that was read already. */
function askedOf(agent: string, session: string, number: number | null): string {
  const data = queryClient.getQueryData<{ pages: { messages: { message: number; text: string }[] }[] }>([
    "messages",
    agent,
    "session",
    session,
  ]);
  const all = data?.pages.flatMap((page) => page.messages) ?? [];
  return all.find((each) => each.message === number)?.text ?? "";
}

type FactProps = { name: string; shown: Shown; self: string | null | undefined; audience: string };

function Fact({ name, shown, self, audience }: FactProps) {
  const of = shown.session;
  const since = of && (daysAgo(of.first) === 0 ? clock(of.first) : nearDay(of.first));
  const who = of ? nameOfSession(of, self) : "You";
  return (
    <>
      <Audience of={audience} />
      <span className="truncate text-muted only-desk">
        {!of
          ? `${name} and you, a new session`
          : who === "You"
            ? `${name} and you, since ${since}`
            : `${of.kind === "dm" ? `${name} and ${who}` : counted(of.messages, "message")}, since ${since}`}
      </span>
    </>
  );
}

/** Says so where there is no model: what is said then is memory, word for word. */
function WithoutModel({ name }: { name: string }) {
  if (useSetting("keepers.model.provider") !== "none") return null;
  return (
    <p className="no-model">
      {name} has no language model: it answers from memory, with file and line.{" "}
      <Link className="link" to="/settings" search={{ q: "keepers.model" }}>
        Set one
      </Link>
    </p>
  );
}

type ReadOnlyProps = { agent: string; name: string; shown: Shown; self: string | null | undefined };

function ReadOnly({ agent, name, shown, self }: ReadOnlyProps) {
  const of = shown.session;
  const where =
    of?.kind === "dm"
      ? of.with === self
        ? "Here stands what you put right."
        : `${nameOfSession(of, self)} and ${name} talk here.`
      : `This was said in ${of?.with}.`;
  return (
    <div className="compose">
      <div className="read-only">
        <span className="grow">{where} You can read it, not write in it.</span>
        <Link className="btn small" to={place("chat")} params={{ agent }} search={{}}>
          Write to {name}
        </Link>
      </div>
    </div>
  );
}

/** Turns what was said into memory; the conversation may go on. */
function End({ agent, shown }: { agent: string; shown: Shown }) {
  const end = useMutation({
    mutationFn: () =>
      read(
        api.POST("/api/agents/{name}/sessions/{session}/end", {
          params: { path: { name: agent, session: shown.id } },
          body: { dry_run: false },
        }),
      ),
    onSuccess: (made) => {
      const learnt = made.runs.flatMap((run) => run.steps).flatMap((step) => step.promoted).length;
      const waits = made.runs.flatMap((run) => run.steps).filter((step) => step.waits).length;
      toast(
        [
          "The session is in the log of its day.",
          learnt ? `${counted(learnt, "memory", "memories")} learnt.` : "",
          waits ? `${counted(waits, "change waits", "changes wait")} for you.` : "",
        ]
          .filter(Boolean)
          .join(" "),
      );
      void queryClient.invalidateQueries({ queryKey: ["sessions", agent] });
    },
  });
  if (!shown.session || shown.session.ended)
    return (
      <Link className="btn" to={place("chat")} params={{ agent }} search={{ session: "new" }}>
        New session
      </Link>
    );
  return (
    <>
      <Button disabled={end.isPending} onClick={() => end.mutate()}>
        {end.isPending ? "Ending" : "End session"}
      </Button>
      {end.isError && (
        <div className="end-failed">
          <ProblemBox
            title="The session was not ended."
            error={end.error}
            safe="Everything that was said is kept."
            onRetry={() => end.mutate()}
          />
        </div>
      )}
      {end.data && !end.data.done && (
        <div className="end-failed">
          <Note look="conflict">Not all of it is in memory yet. End it again.</Note>
        </div>
      )}
    </>
  );
}
