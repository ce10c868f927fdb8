/** Something is typed and not saved, and the person is about to leave: asks in place, and stays until it is answered. */
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState } from "react";
import { paletteOpen } from "../../choices";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { untoast } from "../../parts/Toast";
import { counted } from "../../words";
import { dropAll, save, unsaved } from "./drafts";

type Location = { pathname: string };
const leaves = ({ current, next }: { current: Location; next: Location }) =>
  unsaved().length > 0 && current.pathname !== next.pathname;
const isUnsaved = () => unsaved().length > 0;

export function Guard({ onOpen }: { onOpen: (path: string) => void }) {
  const leaving = useBlocker({ shouldBlockFn: leaves, enableBeforeUnload: isUnsaved, withResolver: true });
  const [busy, setBusy] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const id = useId();
  const isAsked = leaving.status === "blocked";
  useEffect(() => {
    if (!isAsked) return;
    untoast(); // it would lie over the question
    bar.current?.querySelector("button")?.focus();
    paletteOpen.set(false); // it may have led here; when it is gone, it gives the focus to the question
  }, [isAsked]);
  if (!isAsked) return null;
  const files = unsaved();
  const first = files[0];
  const saveAll = async () => {
    setBusy(true);
    for (const each of files) await save(each.agent, each.path);
    setBusy(false);
    const left = unsaved()[0];
    if (!left) leaving.proceed();
    else {
      leaving.reset();
      onOpen(left.path);
    }
  };
  return (
    <div
      className="strip conflict"
      role="alertdialog"
      aria-labelledby={id}
      ref={bar}
      onKeyDown={(event) => event.key === "Escape" && leaving.reset()}
    >
      <Icon name="alert" />
      <span className="grow" id={id}>
        {files.length === 1 ? <span className="file">{first?.path}</span> : counted(files.length, "file")}{" "}
        {files.length === 1 ? "has" : "have"} changes that are not saved.
      </span>
      <Button size="small" disabled={busy} onClick={() => void saveAll()}>
        Save and leave
      </Button>
      <Button
        size="small"
        look="danger"
        disabled={busy}
        onClick={() => {
          dropAll();
          leaving.proceed();
        }}
      >
        Leave without saving
      </Button>
      <Button size="small" look="quiet" disabled={busy} onClick={() => leaving.reset()}>
        Stay
      </Button>
    </div>
  );
}
