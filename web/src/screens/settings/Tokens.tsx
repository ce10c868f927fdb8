/** The tokens that let programs and browsers in: list, make (the secret is shown once), revoke. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, read, type Schemas } from "../../api/client";
import { agents, people, queryClient, tokens } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Field } from "../../parts/Field";
import { Kind } from "../../parts/Kind";
import { Meta } from "../../parts/Meta";
import { Panel } from "../../parts/Panel";
import { ProblemBox } from "../../parts/ProblemBox";
import { Reading } from "../../parts/Reading";
import { Select } from "../../parts/Select";
import { toast } from "../../parts/Toast";
import { agentName, moment, person } from "../../words";

type Token = Schemas["TokenShown"];
type Role = Token["role"];
const ROLES: Record<Role, string> = {
  operator: "Operator: sees everything and decides",
  agent: "Agent: reads and adds to memory",
  reader: "Reader: reads alone",
};
const LASTS = [
  { value: "", label: "Until it is revoked" },
  { value: "1", label: "For a day" },
  { value: "30", label: "For 30 days" },
  { value: "365", label: "For a year" },
];
const DAY_MS = 86_400_000;

export function Tokens() {
  const query = useQuery(tokens());
  const [made, setMade] = useState<Schemas["TokenMade"]>();
  const again = () => queryClient.invalidateQueries({ queryKey: ["tokens"] });
  return (
    <>
      {made ? (
        <Made token={made} onClose={() => setMade(undefined)} />
      ) : (
        <Make
          onMade={(token) => {
            setMade(token);
            void again();
          }}
        />
      )}
      <Panel title="Tokens" count={query.data?.tokens.length || undefined}>
        <Reading of={query} what="Reading the tokens" lines={3}>
          {({ tokens: all }) =>
            all.length ? (
              <ul>
                {all.map((each) => (
                  <One key={each.id} token={each} onGone={again} />
                ))}
              </ul>
            ) : (
              <Empty icon="lock" title="There is no token">
                A token lets a program or a browser in.
              </Empty>
            )
          }
        </Reading>
      </Panel>
    </>
  );
}

function One({ token, onGone }: { token: Token; onGone: () => void }) {
  const [asked, setAsked] = useState(false);
  const revoke = useMutation({
    mutationFn: () => read(api.DELETE("/api/tokens/{token}", { params: { path: { token: token.id } } })),
    onSuccess: () => {
      toast(`${token.name || token.id} was revoked.`);
      onGone();
    },
  });
  return (
    <li className="choice items-start">
      <div className="grow min-w-0">
        <p className="row wrap">
          <b className="font-medium">{token.name || "Without a name"}</b>
          <span className="file muted">{token.id}</span>
          {token.expired && <Kind look="conflict">expired</Kind>}
        </p>
        <Meta>
          {ROLES[token.role].split(":")[0]}
          {`for ${person(token.person)}`}
          {token.agent ? `only ${agentName(token.agent)}` : "all agents"}
          {`made ${moment(token.created)}`}
          {token.expires && !token.expired ? `until ${moment(token.expires)}` : null}
        </Meta>
        {revoke.isError && <ProblemBox title="Not revoked." error={revoke.error} />}
      </div>
      {asked ? (
        <span className="row wrap">
          <Button
            look="danger"
            size="small"
            autoFocus
            disabled={revoke.isPending}
            onClick={() => revoke.mutate()}
          >
            Revoke for good
          </Button>
          <Button look="quiet" size="small" onClick={() => setAsked(false)}>
            Keep it
          </Button>
        </span>
      ) : (
        <Button
          look="danger"
          size="small"
          aria-label={`Revoke ${token.name || token.id}`}
          onClick={() => setAsked(true)}
        >
          Revoke
        </Button>
      )}
    </li>
  );
}

function Make({ onMade }: { onMade: (token: Schemas["TokenMade"]) => void }) {
  const all = useQuery(agents()).data?.agents ?? [];
  const known = useQuery(people());
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("agent");
  const [who, setWho] = useState("");
  const [agent, setAgent] = useState("");
  const [lasts, setLasts] = useState("");
  const others = (known.data?.people ?? []).filter((each) => !each.operator);
  const forWhom = role === "operator" ? undefined : who || others[0]?.id;
  const isUnsaid = role !== "operator" && known.isPending; // whom it speaks for is not known before they are read
  const make = useMutation({
    mutationFn: () =>
      read(
        api.POST("/api/tokens", {
          body: {
            role,
            name,
            agent,
            person: forWhom ?? null,
            expires: lasts ? new Date(Date.now() + Number(lasts) * DAY_MS).toISOString() : null,
          },
        }),
      ),
    onSuccess: onMade,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Panel title="Make a token">
      <form className="grid gap-3 p-4" onSubmit={submit}>
        <Field
          label="What you call it"
          placeholder="wall display"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="picks">
          <Select
            label="It is for"
            shown
            value={role}
            choices={(["agent", "reader", "operator"] as const).map((each) => ({
              value: each,
              label: ROLES[each],
            }))}
            onChange={(value) => setRole(value as Role)}
          />
          {role !== "operator" && others.length > 0 && (
            <Select
              label="Speaks for"
              shown
              value={forWhom ?? ""}
              choices={others.map((each) => ({ value: each.id, label: person(each.id) }))}
              onChange={setWho}
            />
          )}
          <Select
            label="Agent"
            shown
            value={agent}
            choices={[
              { value: "", label: "All agents" },
              ...all
                .filter((each) => each.kind !== "shared")
                .map((each) => ({ value: each.id, label: each.display_name })),
            ]}
            onChange={setAgent}
          />
          <Select label="Valid" shown value={lasts} choices={LASTS} onChange={setLasts} />
        </div>
        {make.isError && (
          <ProblemBox title="Not made." error={make.error} safe="What you chose is still here." />
        )}
        <div>
          <Button look="main" type="submit" disabled={make.isPending || isUnsaid}>
            Make the token
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function Made({ token, onClose }: { token: Schemas["TokenMade"]; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(token.secret).then(
      () => setCopied(true),
      () => setCopied(false), // not allowed here: it can be selected
    );
  };
  return (
    <Panel title="A new token">
      <div className="grid gap-3 p-4" role="status">
        <p>
          Copy it now: it is shown this once and kept nowhere.
          {token.name ? ` It is called ${token.name}.` : ""}
        </p>
        <p className="secret file">{token.secret}</p>
        <div className="row wrap">
          <Button look="main" icon={copied ? "check" : "copy"} onClick={() => void copy()}>
            {copied ? "Copied" : "Copy"}
          </Button>
          <Button look="quiet" onClick={onClose}>
            I have it
          </Button>
        </div>
      </div>
    </Panel>
  );
}
