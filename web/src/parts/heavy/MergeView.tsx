/** Two texts that differ, to make one of: what stands in the file (left, fixed) and yours (right, to edit). */
import { MergeView as Sides, unifiedMergeView } from "@codemirror/merge";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { base } from "./setup";

type Props = {
  /** What stands in the file. */
  theirs: string;
  /** What you typed, or the suggestion; the arrows take single changes over. */
  mine: string;
  onChange: (text: string) => void;
};
const fold = { margin: 3, minSize: 6 };

/** On a phone each difference has two buttons. */
function control(type: "accept" | "reject", act: (event: MouseEvent) => void): HTMLElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "btn small";
  made.textContent = type === "accept" ? "Keep mine" : "Take theirs";
  made.onmousedown = act;
  made.onclick = (event) => event.detail === 0 && act(event); // by keyboard
  return made;
}

export default function MergeView({ theirs, mine, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const told = useRef(onChange);
  told.current = onChange;
  const first = useRef(mine);

  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const hear = EditorView.updateListener.of((update) => {
      if (update.docChanged) told.current(update.state.doc.toString());
    });
    const yours = [base("Your text", false), hear];
    if (window.matchMedia("(max-width: 640px)").matches) {
      const one = new EditorView({
        parent,
        doc: first.current,
        extensions: [
          yours,
          unifiedMergeView({ original: theirs, collapseUnchanged: fold, mergeControls: control }),
        ],
      });
      return () => one.destroy();
    }
    const two = new Sides({
      parent,
      a: { doc: theirs, extensions: base("In the file now", true) },
      b: { doc: first.current, extensions: yours },
      revertControls: "a-to-b",
      collapseUnchanged: fold,
      gutter: false,
    });
    return () => two.destroy();
  }, [theirs]);

  return <div className="merge cm-host" ref={place} />;
}
