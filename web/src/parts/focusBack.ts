/** What was focused before a dialog opened is focused again when it closes. */
import { useRef } from "react";

export function useFocusBack(open: boolean): (event: Event) => void {
  const before = useRef<HTMLElement | null>(null);
  const was = useRef(false);
  if (open && !was.current) before.current = document.activeElement as HTMLElement | null;
  was.current = open;
  return (event) => {
    event.preventDefault();
    if (before.current?.isConnected) before.current.focus();
  };
}
