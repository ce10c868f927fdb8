/** Keys: `useKeys([{ keys: "j", does: "Next", run }])`. Letters rest while somebody types, and can be switched off. */
import { useEffect, useRef } from "react";
import { letterKeys } from "../choices";
import { store } from "../store";

export type Key = {
  /** "j", "mod+s" (⌘ or Ctrl), "g h" (one after the other), "escape", "?". */
  keys: string;
  /** What it does, for the list of all keys. */
  does: string;
  run: () => void;
};

/** All keys that work now; of two that are the same, the one that came last works. */
export const active = store<readonly (readonly Key[])[]>([]);
const SECOND_MS = 1_200;
let first = "";
let waiting: number | undefined;

export function useKeys(keys: readonly Key[]): void {
  const now = useRef(keys);
  now.current = keys;
  const which = keys.map((each) => `${each.keys}\t${each.does}`).join("\n");
  useEffect(() => {
    if (!which) return;
    const mine = which.split("\n").map((line): Key => {
      const [name = "", does = ""] = line.split("\t");
      return { keys: name, does, run: () => now.current.find((each) => each.keys === name)?.run() };
    });
    active.set([...active.get(), mine]);
    return () => active.set(active.get().filter((each) => each !== mine));
  }, [which]);
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target.isContentEditable || target.closest("textarea, select, .cm-content") !== null;
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  return event.metaKey || event.ctrlKey ? `mod+${key}` : key;
}

function find(name: string): Key | undefined {
  for (const group of active.get().toReversed()) {
    const found = group.find((each) => each.keys.toLowerCase() === name);
    if (found) return found;
  }
  return undefined;
}

function forget(): void {
  first = "";
  window.clearTimeout(waiting);
}

/** Hear every key of the page; called once. */
export function hearKeys(): void {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const name = nameOf(event);
    const plain = !name.startsWith("mod+");
    const isLetter = plain && event.key.length === 1;
    if (isLetter) {
      if (!letterKeys.get() && name !== "?") return;
      if (isTyping(event.target)) return;
    }
    // A dialog has its own keys.
    const inDialog =
      event.target instanceof Element &&
      event.target.closest("[role=dialog], [role=alertdialog], [role=menu]");
    if (inDialog && name !== "mod+k") return;
    if (plain && event.target instanceof HTMLElement && name === "enter" && event.target.closest("button, a"))
      return;
    const found = (first && find(`${first} ${name}`)) || find(name);
    const begins =
      isLetter &&
      !first &&
      active.get().some((group) => group.some((each) => each.keys.startsWith(`${name} `)));
    forget();
    if (found) {
      event.preventDefault();
      found.run();
    } else if (begins) {
      first = name;
      waiting = window.setTimeout(forget, SECOND_MS);
    }
  });
}
