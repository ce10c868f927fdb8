/** The people whom the home knows, and the names in channels that belong to each. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, read, type Schemas } from "../../api/client";
import { Problem } from "../../api/problem";
import { people, queryClient } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Field } from "../../parts/Field";
import { Meta } from "../../parts/Meta";
import { Panel } from "../../parts/Panel";
import { ProblemBox } from "../../parts/ProblemBox";
import { Reading } from "../../parts/Reading";
import { Select } from "../../parts/Select";
import { toast } from "../../parts/Toast";
import { counted, person } from "../../words";

type Person = Schemas["PersonShown"];
const again = () => queryClient.invalidateQueries({ queryKey: ["people"] });

function bind(name: string, account: string) {
  return read(api.POST("/api/people/bindings", { body: { name, account } }));
}

export function People() {
  const query = useQuery(people());
  return (
    <>
      <Panel title="People" count={query.data?.people.length || undefined}>
        <Reading of={query} what="Reading the people" lines={3}>
          {({ people: all }) =>
            all.length ? (
              <ul>
                {all.map((each) => (
                  <One key={each.id} of={each} />
                ))}
              </ul>
            ) : (
              <Empty icon="person" title="Nobody is known yet">
                Whoever takes part in a conversation appears here.
              </Empty>
            )
          }
        </Reading>
      </Panel>
      {query.data && <Bind accounts={query.data.people.filter((each) => each.id.startsWith("acct:"))} />}
    </>
  );
}

function One({ of }: { of: Person }) {
  return (
    <li className="choice items-start">
      <div className="grow min-w-0">
        <p className="row wrap">
          <b className="font-medium">{person(of.id)}</b>
          <span className="file muted">{of.id}</span>
        </p>
        <Meta>
          {of.operator ? "operator" : null}
          {of.memories ? counted(of.memories, "memory", "memories") : "no memory of their own"}
        </Meta>
        {of.known_as.length > 0 && (
          <ul className="mt-1 grid gap-1">
            {of.known_as.map((name) => (
              <Name key={name} name={name} account={of.id} />
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

function Name({ name, account }: { name: string; account: string }) {
  const unbind = useMutation({
    mutationFn: () =>
      read(api.DELETE("/api/people/bindings/{person}", { params: { path: { person: name } } })),
    onSuccess: () => {
      toast(`${name} is no longer ${person(account)}.`, () => void bind(name, account).finally(again));
      void again();
    },
  });
  return (
    <li className="row wrap">
      <span className="soft">
        also <span className="file">{name}</span>
      </span>
      <Button
        look="quiet"
        size="small"
        aria-label={`Unbind ${name}`}
        disabled={unbind.isPending}
        onClick={() => unbind.mutate()}
      >
        Unbind
      </Button>
      {unbind.isError && <ProblemBox title="Not unbound." error={unbind.error} />}
    </li>
  );
}

function Bind({ accounts }: { accounts: Person[] }) {
  const [name, setName] = useState("");
  const [account, setAccount] = useState("");
  const chosen = account || accounts[0]?.id || "";
  const make = useMutation({
    mutationFn: () => bind(name.trim(), chosen),
    onSuccess: () => {
      toast(`${name.trim()} is ${person(chosen)}.`);
      setName("");
      void again();
    },
  });
  const problem = make.isError ? Problem.from(make.error) : undefined;
  const hasWrongForm = problem?.status === 422;
  if (!accounts.length) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Panel title="Bind a name to a person">
      <form className="grid gap-3 p-4" onSubmit={submit}>
        <p className="soft">
          The same person may write from several channels. What is remembered of both becomes one.
        </p>
        <Field
          label="Name in a channel"
          placeholder="ext:telegram:7"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
          hint="ext, the channel, and the name there, with colons between."
          bad={hasWrongForm ? "It has to be ext, the channel and the name there: ext:telegram:7." : undefined}
        />
        <div className="picks">
          <Select
            label="Is"
            shown
            value={chosen}
            choices={accounts.map((each) => ({ value: each.id, label: person(each.id) }))}
            onChange={setAccount}
          />
        </div>
        {problem && !hasWrongForm && (
          <ProblemBox title="Not bound." error={problem} safe="What you typed is still here." />
        )}
        <div>
          <Button look="main" type="submit" disabled={make.isPending || !name.trim()}>
            Bind
          </Button>
        </div>
      </form>
    </Panel>
  );
}
