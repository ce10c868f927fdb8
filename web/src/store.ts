/** A value that parts of the page share; those that use it are drawn again when it changes. */
import { useSyncExternalStore } from "react";

export type Store<T> = { get: () => T; set: (value: T) => void; on: (listener: () => void) => () => void };

export function store<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    on: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(of: Store<T>): T {
  return useSyncExternalStore(of.on, of.get);
}

/** A choice of this browser, kept for the next visit. */
export function kept<T extends string | boolean>(name: string, first: T): Store<T> {
  const key = `oldsoul.${name}`;
  const inner = store<T>(read());
  function read(): T {
    try {
      const text = localStorage.getItem(key);
      return text === null ? first : ((typeof first === "boolean" ? text === "true" : text) as T);
    } catch {
      return first; // storage is switched off
    }
  }
  return {
    ...inner,
    set: (value) => {
      inner.set(value);
      try {
        localStorage.setItem(key, String(value));
      } catch {
        // storage is switched off or full; the choice holds for this visit
      }
    },
  };
}
