/** What was focused before a dialog opened is focused again when it closes, unless the page asks something meanwhile. */
import { useRef } from "react";

const question = () => document.querySelector<HTMLElement>("main [role=alertdialog] button");

export function useFocusBack(open: boolean): (event: Event) => void {
  const before = useRef<HTMLElement | null>(null);
  const asked = useRef<HTMLElement | null>(null);
  const was = useRef(false);
  if (open && !was.current) {
    before.current = document.activeElement as HTMLElement | null;
    asked.current = question();
  }
  was.current = open;
  return (event) => {
    event.preventDefault();
    const asking = question();
    if (asking && asking !== asked.current) asking.focus();
    else if (before.current?.isConnected) before.current.focus();
  };
}
