/** The editor and the preview side by side, or one of them. */
import { useDeferredValue, useEffect, useRef } from "react";
import { useParam } from "../../address";
import { Icon } from "../../parts/Icon";
import { Editor, Markdown } from "../../parts/lazy";
import { Segmented } from "../../parts/Segmented";
import { useKeys } from "../../shell/keys";
import { save } from "./drafts";
import { fullness } from "./kinds";
import type { Opened } from "./useFile";

type View = "edit" | "split" | "read";
type Props = {
  agent: string;
  path: string;
  file: Opened;
  editable: boolean;
  phone: boolean;
  line: number;
  onOpen: (path: string) => void;
};

/** A link in a file, from the folder that the file is in. */
function linked(from: string, href: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of href.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

export function Panes({ agent, path, file, editable, phone, line, onOpen }: Props) {
  const usual: View = editable ? (phone ? "edit" : "split") : "read";
  const [asked, setView] = useParam("view");
  const views: View[] = phone ? ["edit", "read"] : ["edit", "split", "read"];
  const wanted = line > 0 && asked === "" && !editable ? "edit" : ((asked || usual) as View);
  const view = views.includes(wanted) ? wanted : usual;
  const names = { edit: editable ? "Edit" : "Source", split: "Split", read: "Read" };
  const place = useRef<HTMLDivElement>(null);
  const preview = useRef<HTMLElement>(null);
  const focus = useRef(false);
  const limit = file.base?.limit_bytes ?? 0;
  const full = editable ? fullness(path, file.size, limit) : null;

  const edit = () => {
    const editor = place.current?.querySelector<HTMLElement>(".cm-content");
    if (editor) editor.focus();
    else {
      focus.current = true;
      setView(phone ? "edit" : "split");
    }
  };
  useEffect(() => {
    if (!focus.current || view === "read") return;
    focus.current = false;
    place.current?.querySelector<HTMLElement>(".cm-content")?.focus();
  }, [view]);
  useKeys(editable ? [{ keys: "e", does: "Edit", run: edit }] : []);

  /** The preview follows the editor: the part that begins at or before its first line comes to the top. */
  const follow = (first: number) => {
    const pane = preview.current;
    if (!pane) return;
    let found: HTMLElement | undefined;
    for (const each of pane.querySelectorAll<HTMLElement>("[data-line]")) {
      if (Number(each.dataset.line) > first) break;
      found = each;
    }
    const top = found ? found.getBoundingClientRect().top - pane.getBoundingClientRect().top - 8 : 0;
    pane.scrollTop = first > 1 ? pane.scrollTop + top : 0;
  };

  return (
    <>
      <div className="bar">
        <Segmented
          label="View"
          value={view}
          choices={views.map((each) => ({ value: each, label: names[each] }))}
          onChange={(next) => setView(next === usual ? "" : next)}
        />
        <span className="grow" />
        {full && (
          <span className={`full ${full.look}`} role="status">
            <Icon name="alert" size="s" />
            {full.words}
          </span>
        )}
      </div>
      <div className={`panes ${view}`} ref={place}>
        {view !== "read" && (
          <section className="edit-pane" aria-label={editable ? "Editor" : "Source"}>
            <Editor
              label={path}
              value={file.text}
              saved={file.base?.content}
              theirs={file.theirs}
              readOnly={!editable}
              line={line > 0 ? line : undefined}
              onChange={file.type}
              onSave={() => void (file.draft && save(agent, path))}
              onScroll={view === "split" ? follow : undefined}
            />
          </section>
        )}
        {view !== "edit" && (
          <section className="read-pane" aria-label="Preview" ref={preview} tabIndex={0}>
            <Preview text={file.text} onFile={(href) => onOpen(linked(path, href))} />
          </section>
        )}
      </div>
    </>
  );
}

function Preview({ text, onFile }: { text: string; onFile: (href: string) => void }) {
  // Typing comes first; the preview follows when there is time.
  const shown = useDeferredValue(text);
  return shown.trim() ? (
    <Markdown text={shown} onFile={onFile} />
  ) : (
    <p className="muted">Nothing is written here yet.</p>
  );
}
