/** Whether the page is as narrow as a phone; it follows the window. */
import { useSyncExternalStore } from "react";

const narrow = window.matchMedia("(max-width: 640px)");

function follow(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

export function usePhone(): boolean {
  return useSyncExternalStore(follow, () => narrow.matches);
}
