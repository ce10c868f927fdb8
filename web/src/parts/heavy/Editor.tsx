/** The Markdown editor. What is typed is `value`; lines that differ from `saved` have a blue edge. */
import { EditorSelection, EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useLayoutEffect, useRef } from "react";
import { changedLines } from "../../diff";
import { base, edges, notTyped, replaceText, setEdges } from "./setup";

export type EditorProps = {
  label: string;
  value: string;
  onChange?: (text: string) => void;
  /** The text as it stands in the file. */
  saved?: string;
  /** Lines (from 1) that somebody else wrote meanwhile. */
  theirs?: readonly number[];
  readOnly?: boolean;
  /** ⌘S within the editor. */
  onSave?: () => void;
  /** Show this line (from 1) and put the cursor there. */
  line?: number;
  /** The number of the first visible line, while it is scrolled. */
  onScroll?: (line: number) => void;
};

const NONE: readonly number[] = [];

export default function Editor(props: EditorProps) {
  const { label, value, saved, theirs = NONE, readOnly = false, line } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const now = useRef(props);
  now.current = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is kept up to date below, without a new editor
  useEffect(() => {
    if (!place.current) return;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          keymap.of([
            {
              key: "Mod-s",
              preventDefault: true,
              run: () => {
                now.current.onSave?.();
                return true;
              },
            },
          ]),
          base(label, readOnly),
          edges,
          EditorView.updateListener.of((update) => {
            const typed = update.transactions.some((each) => each.docChanged && !each.annotation(notTyped));
            if (typed) now.current.onChange?.(update.state.doc.toString());
          }),
          EditorView.domEventHandlers({
            scroll: (_, editor) => {
              const at = editor.lineBlockAtHeight(editor.scrollDOM.scrollTop).from;
              now.current.onScroll?.(editor.state.doc.lineAt(at).number);
            },
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
  }, [label, readOnly]);

  // At once, before another key is pressed: what is typed then belongs to this text.
  useLayoutEffect(() => {
    if (view.current) replaceText(view.current, value);
  }, [value]);

  useEffect(() => {
    if (!view.current) return;
    const mine = saved === undefined || saved === value ? NONE : changedLines(saved, value);
    view.current.dispatch({ effects: setEdges.of({ mine, theirs }) });
  }, [saved, value, theirs]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !line || line > editor.state.doc.lines) return;
    const at = editor.state.doc.line(line).from;
    editor.dispatch({
      selection: EditorSelection.cursor(at),
      effects: EditorView.scrollIntoView(at, { y: "center" }),
    });
  }, [line]);

  return <div className="editor cm-host" ref={place} />;
}
