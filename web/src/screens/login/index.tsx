/** Login: by a link that `oldsoul serve` prints, or with a token. It comes over any screen when a login is needed. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { Search } from "../../address";
import { loggedOut, logIn, logInByLink } from "../../api/client";
import { listen } from "../../api/events";
import { Problem } from "../../api/problem";
import { queryClient } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Field } from "../../parts/Field";
import { Icon } from "../../parts/Icon";
import { ProblemBox } from "../../parts/ProblemBox";
import { useTitle } from "../../parts/TopBar";

/** Over a screen, `onDone` uncovers it; at its own address, it leads to Home. */
export default function Login({ onDone }: { onDone?: () => void }) {
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const navigate = useNavigate();
  const { problem: used, code } = useSearch({ strict: false }) as Search;
  const form = useRef<HTMLFormElement>(null);
  useTitle("Log in");
  useEffect(() => {
    form.current?.querySelector("input")?.focus();
  }, []);

  const enter = async (way: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await way();
      if (onDone) {
        onDone();
        return;
      }
      loggedOut.set(false);
      queryClient.clear();
      listen();
      await navigate({ to: "/", replace: true });
    } catch (error) {
      const found = Problem.from(error);
      if (found.code === "no_code")
        await navigate({ to: "/login", search: { problem: "used" }, replace: true });
      else setProblem(found);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void enter(() => logIn(token.trim()));
  };
  const handedIn = useRef("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a code is handed in once, when the link was opened
  useEffect(() => {
    if (!code || onDone || handedIn.current === code) return;
    handedIn.current = code;
    void enter(() => logInByLink(code));
  }, [code]);

  return (
    <section className="login" aria-label="Log in">
      <form className="grid w-full max-w-[400px] gap-4" onSubmit={submit} ref={form}>
        <div className="grid gap-2">
          <Icon name="soul" className="mark" />
          <h1 className="font-words text-28 tracking-[-0.01em]">Log in to Oldsoul</h1>
          <p className="text-soft text-pretty">
            Where the server runs, <span className="file">oldsoul serve</span> prints a login link. It works
            once, for 10 minutes. Open it in this browser, or log in with a token.
            {onDone && " What you typed is kept."}
          </p>
        </div>
        {used && !problem && (
          <ProblemBox
            title="This login link was used before or is too old."
            safe="Start oldsoul serve again for a new one, or log in with a token."
          />
        )}
        {problem && (
          <ProblemBox
            title={problem.isAway ? undefined : "Not logged in."}
            error={problem}
            safe={
              code && !token
                ? "Load this page again to use the link."
                : problem.isAway
                  ? undefined
                  : "The token is still here."
            }
          />
        )}
        <Field
          label="Token"
          name="token"
          type="password"
          placeholder="os_…"
          autoComplete="current-password"
          spellCheck={false}
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
          hint={
            <>
              The server’s own is in <span className="file">state/server.token</span>;{" "}
              <span className="file">oldsoul token add</span> makes others.
            </>
          }
        />
        <div>
          <Button type="submit" look="main" disabled={busy || !token.trim()}>
            Log in
          </Button>
        </div>
      </form>
    </section>
  );
}
