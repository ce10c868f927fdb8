/** Context: what an agent is told before a reply, in two conversations beside each other. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { type Search, useAgent, useParam } from "../../address";
import { api, read } from "../../api/client";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { Loading } from "../../parts/Loading";
import { ProblemBox } from "../../parts/ProblemBox";
import { Segmented } from "../../parts/Segmented";
import { TopBar } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { useKeys } from "../../shell/keys";
import { Compare } from "./Compare";
import { Head } from "./Heads";
import type { View } from "./seeing";
import { otherView, promptOf, useWhere } from "./views";
import { ExactPrompt, LeftOut } from "./Whole";
import "./context.css";

export default function Context() {
  const agent = useAgent();
  const name = useAgentName(agent);
  const where = useWhere(agent);
  const [asked, setAsked] = useParam("q");
  const [show, setShow] = useParam("show", "compare");
  const [shown, setShown] = useParam("side", "a");
  const [a, setA] = useView("a", { where: "dm", who: "" });
  const [b, setB] = useView("b", otherView(where));
  const last = useLastSaid(agent, asked === "");
  const message = asked || last;
  const first = useQuery({ ...promptOf(agent, a, message), enabled: where.ready });
  const second = useQuery({ ...promptOf(agent, b, message), enabled: where.ready });
  const side = shown === "b" ? "b" : "a";
  const left =
    first.data && second.data
      ? first.data.context.receipt.left_out.length + second.data.context.receipt.left_out.length
      : 0;
  const problem = first.error ?? second.error;

  return (
    <>
      <TopBar
        title="Context"
        fact={<span className="only-desk truncate text-muted">What {name} is told before a reply</span>}
      >
        <Segmented
          label="Show"
          value={show}
          choices={[
            { value: "compare", label: "Compare" },
            { value: "prompt", label: "Exact prompt" },
            { value: "left", label: `Left out ${left}` },
          ]}
          onChange={setShow}
        />
      </TopBar>
      <div className="context">
        <Ask message={message} onAsk={setAsked} />
        <div className="heads">
          <Head
            label="First view"
            view={a}
            prompt={first.data}
            where={where}
            shown={side === "a"}
            onShow={() => setShown("a")}
            onChange={setA}
          />
          <Head
            label="Second view"
            view={b}
            prompt={second.data}
            where={where}
            shown={side === "b"}
            onShow={() => setShown("b")}
            onChange={setB}
          />
        </div>
        {first.data && second.data ? (
          <Shown
            agent={agent}
            a={{ view: a, prompt: first.data }}
            b={{ view: b, prompt: second.data }}
            you={where.you}
            side={side}
            show={show}
          />
        ) : problem ? (
          <div className="p-5">
            <ProblemBox
              title="The prompt could not be assembled."
              error={problem}
              safe="Your message is still here."
              onRetry={() => {
                void first.refetch();
                void second.refetch();
              }}
            />
          </div>
        ) : (
          <Loading what="Assembling both prompts" lines={6} />
        )}
      </div>
    </>
  );
}

type ShownProps = {
  agent: string;
  a: Parameters<typeof Compare>[0]["a"];
  b: Parameters<typeof Compare>[0]["b"];
  you: string;
  side: "a" | "b";
  show: string;
};

function Shown({ agent, a, b, you, side, show }: ShownProps) {
  const sides = [
    { id: "a", side: a, other: b },
    { id: "b", side: b, other: a },
  ] as const;
  if (show === "prompt") return <ExactPrompt agent={agent} sides={sides} you={you} shown={side} />;
  if (show === "left") return <LeftOut agent={agent} sides={sides} you={you} shown={side} />;
  return <Compare agent={agent} a={a} b={b} you={you} shown={side} />;
}

/** The message that is to be answered. What is typed counts when it is assembled. */
function Ask({ message, onAsk }: { message: string; onAsk: (message: string) => void }) {
  const [typed, setTyped] = useState(message);
  const [touched, setTouched] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!touched) setTyped(message);
  }, [message, touched]);
  const assemble = () => {
    setTouched(false);
    onAsk(typed.trim());
  };
  useKeys([
    { keys: "mod+enter", does: "Assemble", run: assemble },
    { keys: "/", does: "Go to the message", run: () => field.current?.focus() },
  ]);
  return (
    <form
      className="ask"
      onSubmit={(event) => {
        event.preventDefault();
        assemble();
      }}
    >
      <div className="field grow">
        <Icon name="chat" />
        <textarea
          ref={field}
          rows={1}
          aria-label="Message"
          placeholder="What somebody says"
          value={typed}
          onChange={(event) => {
            setTouched(true);
            setTyped(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              assemble();
            }
          }}
        />
      </div>
      <Button look="main" type="submit" keys="mod+enter">
        Assemble
      </Button>
    </form>
  );
}

/** A view in the address: `a=room:dev&a-who=acct:42`. */
function useView(name: string, otherwise: View): [View, (view: View) => void] {
  const [where] = useParam(name);
  const [who] = useParam(`${name}-who`);
  const navigate = useNavigate();
  const set = (view: View) =>
    void navigate({
      to: ".",
      search: ((old: Search) => ({ ...old, [name]: view.where, [`${name}-who`]: view.who })) as never,
      replace: true,
    });
  return [where ? { where, who } : otherwise, set];
}

/** The last thing that the operator said in private, to begin with. */
function useLastSaid(agent: string, wanted: boolean): string {
  const { data } = useQuery({
    queryKey: ["messages", agent, "last said"],
    queryFn: () =>
      read(
        api.GET("/api/agents/{name}/messages", { params: { path: { name: agent }, query: { limit: 50 } } }),
      ),
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const said = (data?.messages ?? []).filter(
    (each) => each.role === "user" && !each.room && each.audience === "owner",
  );
  const newest = said.reduce<(typeof said)[number] | undefined>(
    (best, each) => (!best || each.message > best.message ? each : best),
    undefined,
  );
  return newest?.text ?? "";
}
