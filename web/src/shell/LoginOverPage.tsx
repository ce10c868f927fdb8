/** The login screen over the page, as soon as the server wants a login; what was typed stays below it. */
import { useLocation, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { loggedOut } from "../api/client";
import { listen } from "../api/events";
import { queryClient } from "../api/queries";
import { useStore } from "../store";

const Login = lazy(() => import("../screens/login"));

export function LoginOverPage() {
  const out = useStore(loggedOut);
  const router = useRouter();
  const onLogin = useLocation().pathname === "/login";
  const shown = out && !onLogin;
  useEffect(() => {
    const app = document.querySelector<HTMLElement>(".app");
    if (app) app.inert = shown;
  }, [shown]);
  if (!shown) return null;
  const done = () => {
    loggedOut.set(false);
    listen();
    void queryClient.invalidateQueries();
    void router.invalidate();
  };
  return (
    <Suspense>
      <Login onDone={done} />
    </Suspense>
  );
}
