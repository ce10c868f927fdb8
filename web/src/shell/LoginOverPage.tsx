/** The login screen over the page, as soon as the server wants a login; what was typed stays below it. */
import { useLocation, useRouter } from "@tanstack/react-router";
import { Dialog } from "radix-ui";
import { lazy, Suspense } from "react";
import { loggedOut } from "../api/client";
import { listen } from "../api/events";
import { queryClient } from "../api/queries";
import { useFocusBack } from "../parts/focusBack";
import { useStore } from "../store";

const Login = lazy(() => import("../screens/login"));

export function LoginOverPage() {
  const out = useStore(loggedOut);
  const router = useRouter();
  const onLogin = useLocation().pathname === "/login";
  const shown = out && !onLogin;
  const done = () => {
    loggedOut.set(false);
    listen();
    void queryClient.invalidateQueries();
    void router.invalidate();
  };
  const giveBack = useFocusBack(shown);
  return (
    <Dialog.Root open={shown}>
      <Dialog.Portal>
        <Dialog.Content
          className="fixed inset-0 z-[45] bg-bg"
          aria-describedby={undefined}
          onEscapeKeyDown={(event) => event.preventDefault()}
          onCloseAutoFocus={giveBack}
        >
          <Dialog.Title className="hidden-text">Log in</Dialog.Title>
          <Suspense>
            <Login onDone={done} />
          </Suspense>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
