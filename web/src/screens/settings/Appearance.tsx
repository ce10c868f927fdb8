/** What holds for this browser: colours, letters as keys, and the login. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, loggedOut, read } from "../../api/client";
import { me, queryClient } from "../../api/queries";
import { letterKeys, theme } from "../../choices";
import { Button } from "../../parts/Button";
import { Panel } from "../../parts/Panel";
import { ProblemBox } from "../../parts/ProblemBox";
import { Reading } from "../../parts/Reading";
import { Segmented } from "../../parts/Segmented";
import { useStore } from "../../store";
import { person } from "../../words";

export function Appearance() {
  const colours = useStore(theme);
  const letters = useStore(letterKeys);
  return (
    <>
      <Panel title="Appearance">
        <div className="choice">
          <div className="grow">
            <p className="font-medium">Colours</p>
            <p className="soft">Light, dark, or as your system says.</p>
          </div>
          <Segmented
            label="Colours"
            value={colours}
            choices={[
              { value: "system", label: "System" },
              { value: "light", label: "Light" },
              { value: "dark", label: "Dark" },
            ]}
            onChange={theme.set}
          />
        </div>
        <label className="choice">
          <span className="grow">
            <span className="block font-medium">Letters are keys</span>
            <span className="soft block">
              J, K, G and others act while you do not type. Off: only keys with Ctrl or ⌘ do.{" "}
              <span className="only-desk">
                <kbd>?</kbd> shows all.
              </span>
            </span>
          </span>
          <input
            type="checkbox"
            className="check"
            checked={letters}
            onChange={(event) => letterKeys.set(event.target.checked)}
          />
        </label>
      </Panel>
      <Login />
    </>
  );
}

const ROLES: Record<string, string> = {
  operator: "an operator: you see everything and decide",
  agent: "an agent",
  reader: "a reader: you see, and change nothing",
};

function Login() {
  const query = useQuery(me());
  const out = useMutation({
    mutationFn: () => read(api.POST("/api/logout")),
    onSuccess: () => {
      queryClient.clear(); // nothing of it may be seen without a login
      loggedOut.set(true);
    },
  });
  return (
    <Panel title="Login">
      <Reading of={query} what="Reading who you are">
        {(data) => (
          <div className="choice">
            <div className="grow">
              <p className="font-medium">{person(data.person)}</p>
              <p className="soft">
                Logged in as {ROLES[data.role] ?? data.role}, for {data.agent ?? "all agents"}. Oldsoul{" "}
                {data.version}.
              </p>
            </div>
            <Button disabled={out.isPending} onClick={() => out.mutate()}>
              Log out
            </Button>
          </div>
        )}
      </Reading>
      {out.isError && (
        <div className="p-4">
          <ProblemBox title="Not logged out." error={out.error} />
        </div>
      )}
    </Panel>
  );
}
