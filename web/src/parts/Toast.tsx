/** What was just done, bottom left, for 8 seconds, with Undo. One at a time; never for errors. */
import { useEffect, useState } from "react";
import { useKeys } from "../shell/keys";
import { store, useStore } from "../store";
import { Button } from "./Button";
import { Icon } from "./Icon";

type Done = { words: string; undo?: () => void };
const now = store<Done | null>(null);
const SHOWN_MS = 8_000;

/** `toast("Approved. It holds from the next reply.", () => undo(change))` */
export function toast(words: string, undo?: () => void): void {
  now.set({ words, undo });
}

/** Take it away: something else is asked or refused now. */
export function untoast(): void {
  now.set(null);
}

export function Toasts() {
  const done = useStore(now);
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (!done || held) return;
    const timer = window.setTimeout(() => now.set(null), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [done, held]);
  const undo = () => {
    now.set(null);
    setHeld(false);
    done?.undo?.();
  };
  useKeys(done?.undo ? [{ keys: "z", does: "Undo", run: undo }] : []);
  return (
    <div role="status" aria-live="polite">
      {done && (
        // biome-ignore lint/a11y/noStaticElementInteractions: it only stays while it is pointed at
        <div
          className="toast"
          onMouseEnter={() => setHeld(true)}
          onMouseLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          <Icon name="check" />
          <span className="grow">{done.words}</span>
          {done.undo ? (
            <Button size="small" keys="Z" onClick={undo}>
              Undo
            </Button>
          ) : (
            <Button size="small" look="quiet" icon="x" label="Close" onClick={() => now.set(null)} />
          )}
        </div>
      )}
    </div>
  );
}
