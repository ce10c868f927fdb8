/** What lies right of the content and says more: it floats on small screens, and comes from below on phones. */
import { type ReactNode, useEffect, useRef } from "react";
import { inspectorOpen } from "../choices";
import { useStore } from "../store";
import { Button } from "./Button";

type Props = { title: string; head?: ReactNode; width?: number; children: ReactNode };

/** Open or close it: `]` does the same. */
export function useInspector(): [boolean, (open: boolean) => void] {
  return [useStore(inspectorOpen), inspectorOpen.set];
}

export function Inspector({ title, head, width, children }: Props) {
  const [open, setOpen] = useInspector();
  const before = useRef<Element | null>(null);
  useEffect(() => {
    if (open) before.current = document.activeElement;
    else if (before.current instanceof HTMLElement && document.activeElement === document.body)
      before.current.focus();
  }, [open]);
  if (!open) return null;
  return (
    <aside
      className="inspector"
      aria-label={title}
      style={width && window.innerWidth > 640 ? { width } : undefined}
      onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
    >
      <div className="head">
        <h2 className="label grow">{title}</h2>
        {head}
        <Button look="quiet" icon="x" label="Close" onClick={() => setOpen(false)} />
      </div>
      <div className="inside">{children}</div>
    </aside>
  );
}
