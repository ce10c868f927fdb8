/** The command palette: memory, places and deeds, by typing. What it finds carries its audience. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Dialog } from "radix-ui";
import {
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { place } from "../address";
import { api, read } from "../api/client";
import { entries, files } from "../api/queries";
import { theme } from "../choices";
import { Audience } from "../parts/Audience";
import { useFocusBack } from "../parts/focusBack";
import { Icon, type IconName } from "../parts/Icon";
import { keyName } from "../parts/keyNames";
import { ProblemBox } from "../parts/ProblemBox";
import { toast } from "../parts/Toast";
import { saidBy } from "../words";
import { useAgentName } from "./agentName";
import { PLACES, SEARCH } from "./places";

type Item = {
  id: string;
  group: string;
  icon?: IconName;
  words: ReactNode;
  end?: ReactNode;
  run: () => unknown;
};
type Props = { agent: string; open: boolean; onClose: () => void; onKeys: () => void };

export function Palette(props: Props) {
  const giveBack = useFocusBack(props.open);
  return (
    <Dialog.Root open={props.open} onOpenChange={(now) => !now && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content className="dialog palette" onCloseAutoFocus={giveBack} aria-describedby={undefined}>
          <Dialog.Title className="hidden-text">Search or go to</Dialog.Title>
          <Inside {...props} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Inside({ agent, onClose, onKeys }: Props) {
  const [typed, setTyped] = useState("");
  // Which one was moved to. What is found later comes in above it, and must not push it away.
  const [at, setAt] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const name = useAgentName(agent);
  const items = useItems(agent, typed, onKeys);
  const chosen = Math.max(
    0,
    items.findIndex((each) => each.id === at),
  );

  useEffect(() => {
    list.current?.querySelector(`[data-at="${chosen}"]`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const run = async (item: Item | undefined) => {
    if (!item) return;
    try {
      setProblem(undefined);
      await item.run();
      onClose();
    } catch (error) {
      setProblem(error);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : items.length - 1;
      setAt(items[(chosen + step) % items.length]?.id ?? "");
    } else if (event.key === "Enter") {
      event.preventDefault();
      const deed = event.metaKey || event.ctrlKey ? items.find((each) => each.id === "remember") : undefined;
      void run(deed ?? items[chosen]);
    }
  };
  const groups = [...new Set(items.map((each) => each.group))];
  return (
    <>
      <div className="in">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Search memory, places and deeds"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={items[chosen] ? `${id}-${items[chosen].id}` : undefined}
          placeholder={`Search what ${name} knows, or go to`}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt("");
          }}
          onKeyDown={onKey}
        />
        <kbd>esc</kbd>
      </div>
      {problem !== undefined && (
        <div className="p-3">
          <ProblemBox error={problem} safe="What you typed is still here." />
        </div>
      )}
      <div role="listbox" id={`${id}-list`} aria-label="Found" className="pb-2" ref={list} tabIndex={-1}>
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own
          <div key={group} role="group" aria-label={group}>
            <div className="grp" aria-hidden="true">
              {group}
            </div>
            {items.map((item, i) =>
              item.group === group ? (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
                <div
                  key={item.id}
                  id={`${id}-${item.id}`}
                  data-at={i}
                  role="option"
                  tabIndex={-1}
                  aria-selected={i === chosen}
                  className="it"
                  onMouseMove={() => setAt(item.id)}
                  onClick={() => void run(item)}
                >
                  {item.icon && <Icon name={item.icon} />}
                  <span className="grow">{item.words}</span>
                  {item.end}
                </div>
              ) : null,
            )}
          </div>
        ))}
        {items.length === 0 && <p className="p-4 text-muted">Nothing has these words.</p>}
      </div>
    </>
  );
}

function useItems(agent: string, typed: string, onKeys: () => void): Item[] {
  const navigate = useNavigate();
  const words = useDeferredValue(typed.trim());
  const found = useQuery({ ...entries(agent, { words, limit: 6 }), enabled: words.length > 1 });
  const listed = useQuery({ ...files(agent), enabled: words.length > 1 });
  const fits = (name: string) => !words || name.toLowerCase().includes(words.toLowerCase());
  const go = (name: string, search: Record<string, string> = {}) =>
    navigate({ to: place(name), params: { agent }, search });

  const memory: Item[] = (words.length > 1 ? (found.data?.entries ?? []) : []).map((each) => ({
    id: `entry-${each.entry}`,
    group: "Memory",
    words: <span className="words line-clamp-2">{saidBy(each).words}</span>,
    end: <Audience of={each.audience} />,
    run: () => go("memory", { entry: each.entry }),
  }));
  const places: Item[] = [...PLACES, SEARCH]
    .filter((each) => fits(each.name))
    .map((each) => ({
      id: `go-${each.to}`,
      group: "Go to",
      icon: each.icon,
      words: each.name,
      end: each.key ? <kbd>{`G ${each.key.toUpperCase()}`}</kbd> : undefined,
      run: () => go(each.to),
    }));
  if (fits("Settings"))
    places.push({
      id: "go-settings",
      group: "Go to",
      icon: "settings",
      words: "Settings",
      run: () => navigate({ to: "/settings" }),
    });
  const named = (words.length > 1 ? (listed.data?.files ?? []) : []).filter((each) => fits(each.filename));
  for (const each of named.slice(0, 4)) {
    places.push({
      id: `file-${each.filename.replace(/\W/g, "-")}`,
      group: "Go to",
      icon: "files",
      words: each.filename,
      run: () => go("files", { file: each.filename }),
    });
  }
  const deeds: Item[] = [];
  if (words) {
    deeds.push({
      id: "search",
      group: "Do",
      icon: "search",
      words: `Search for “${words}”`,
      run: () => go("search", { q: words }),
    });
    deeds.push({
      id: "remember",
      group: "Do",
      icon: "plus",
      words: `Remember “${words}”`,
      end: <kbd>{keyName("mod+enter")}</kbd>,
      run: () => remember(agent, words),
    });
  }
  if (fits("Light colours")) deeds.push(colours("light", "Light colours"));
  if (fits("Dark colours")) deeds.push(colours("dark", "Dark colours"));
  if (fits("All keys"))
    deeds.push({ id: "keys", group: "Do", icon: "info", words: "All keys", end: <kbd>?</kbd>, run: onKeys });
  return words ? [...memory, ...places, ...deeds] : [...places, ...deeds];
}

function colours(value: string, words: string): Item {
  return { id: `colours-${value}`, group: "Do", icon: "settings", words, run: () => theme.set(value) };
}

async function remember(agent: string, text: string): Promise<void> {
  const path = { name: agent };
  const made = await read(
    api.POST("/api/agents/{name}/entries", { params: { path }, body: { text } as never }),
  );
  const undo = () => {
    const number = made.change;
    void read(
      api.POST("/api/agents/{name}/changes/{number}/undo", {
        params: { path: { ...path, number } },
        body: {},
      }),
    );
  };
  toast(made.repeated ? "It was known already." : "Remembered.", made.repeated ? undefined : undo);
}
