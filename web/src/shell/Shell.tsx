/** What stands around every screen: sidebar, tab bar, palette, keys, the bar that says the server is away, toasts. */
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { place, useAgent } from "../address";
import { away } from "../api/client";
import { inspectorOpen, lastAgent, paletteOpen, railFolded } from "../choices";
import { Icon } from "../parts/Icon";
import { Toasts } from "../parts/Toast";
import { useStore } from "../store";
import { KeyList } from "./KeyList";
import { type Key, useKeys } from "./keys";
import { Palette } from "./Palette";
import { PLACES } from "./places";
import { Sidebar } from "./Sidebar";
import { TabBar } from "./TabBar";
import { useWaiting } from "./waiting";

export function Shell() {
  const named = useAgent();
  const last = useStore(lastAgent);
  const agent = named || last;
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const finding = useStore(paletteOpen);
  const [showKeys, setShowKeys] = useState(false);
  const folded = useStore(railFolded);
  const { count } = useWaiting(agent);
  // Files has a tree of its own, so the sidebar makes room there.
  const rail = folded || pathname.endsWith("/files");

  useEffect(() => {
    if (named) lastAgent.set(named);
  }, [named]);

  const goes = PLACES.filter((each) => each.key).map(
    (each): Key => ({
      keys: `g ${each.key}`,
      does: `Go to ${each.name}`,
      run: () => void navigate({ to: place(each.to), params: { agent } }),
    }),
  );
  useKeys([
    { keys: "mod+k", does: "Search or go to", run: () => paletteOpen.set(!paletteOpen.get()) },
    { keys: "?", does: "All keys", run: () => setShowKeys(true) },
    { keys: "[", does: "Fold the sidebar", run: () => railFolded.set(!railFolded.get()) },
    { keys: "]", does: "Open or close the inspector", run: () => inspectorOpen.set(!inspectorOpen.get()) },
    ...goes,
  ]);

  return (
    <div className="app">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Sidebar agent={agent} rail={rail} waiting={count} onFind={() => paletteOpen.set(true)} />
      <Main key={agent} />
      <TabBar agent={agent} waiting={count} />
      <Palette
        agent={agent}
        open={finding}
        onClose={() => paletteOpen.set(false)}
        onKeys={() => setShowKeys(true)}
      />
      <KeyList open={showKeys} onClose={() => setShowKeys(false)} />
      <Toasts />
    </div>
  );
}

function Main() {
  const isAway = useStore(away);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  // A new screen is where the keyboard goes on; the page's first one leaves focus alone.
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    if (document.activeElement === document.body || document.activeElement?.closest("nav"))
      main.current?.focus();
  }, [pathname]);
  return (
    <main className="main" id="main" tabIndex={-1} ref={main}>
      <div role="status">
        {isAway && (
          <div className="away">
            <Icon name="alert" />
            The server does not answer. Trying again.
          </div>
        )}
      </div>
      <Outlet />
    </main>
  );
}
