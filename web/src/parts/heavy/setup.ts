/** What the editor and the merge view share: keys, colours of Markdown, folded entry comments, marked lines. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import {
  Annotation,
  EditorState,
  type Extension,
  RangeSetBuilder,
  StateEffect,
  StateField,
  Transaction,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { textChanges } from "../../diff";
import "./editor.css";

const COLOURS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "700" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: tags.comment, color: "var(--text-3)" },
  { tag: [tags.url, tags.link], color: "var(--accent)" },
  { tag: [tags.monospace, tags.meta, tags.quote], color: "var(--text-2)" },
]);

class Fold extends WidgetType {
  readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
  eq(other: Fold): boolean {
    return other.text === this.text;
  }
  toDOM(): HTMLElement {
    const made = document.createElement("span");
    made.className = "fold";
    made.textContent = "···";
    made.title = this.text.slice(4, -3);
    return made;
  }
}

/** Entry comments are folded, except on the lines of the cursor. The bytes stay. */
const folds = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = foldsOf(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged || update.selectionSet || update.focusChanged)
        this.decorations = foldsOf(update.view);
    }
  },
  {
    decorations: (plugin) => plugin.decorations,
    provide: (plugin) =>
      EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
  },
);

function foldsOf(view: EditorView): DecorationSet {
  const made = new RangeSetBuilder<Decoration>();
  const { state } = view;
  const open = new Set<number>();
  if (view.hasFocus && !state.readOnly) {
    for (const range of state.selection.ranges) {
      const last = state.doc.lineAt(range.to).number;
      for (let n = state.doc.lineAt(range.from).number; n <= last && open.size < 500; n++) open.add(n);
    }
  }
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      if (!open.has(line.number)) {
        for (const found of line.text.matchAll(/<!--os\b.*?-->/g)) {
          const start = line.from + found.index;
          made.add(start, start + found[0].length, Decoration.replace({ widget: new Fold(found[0]) }));
        }
      }
      at = line.to + 1;
    }
  }
  return made.finish();
}

const tagMatches = new MatchDecorator({
  regexp: /(?<=\s)#[a-z][a-z-]*/g,
  decoration: Decoration.mark({ attributes: { style: "color: var(--text-2); font-weight: 600" } }),
});
const entryTags = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = tagMatches.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = tagMatches.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** Lines with an edge: blue for those that are not saved, violet for those that somebody else wrote meanwhile. */
export type Edges = { mine: readonly number[]; theirs: readonly number[] };
export const setEdges = StateEffect.define<Edges>();
export const edges = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(old, transaction) {
    let now = old.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setEdges)) now = edgesOf(transaction.state, effect.value);
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function edgesOf(state: EditorState, { mine, theirs }: Edges): DecorationSet {
  const looks = new Map<number, string>();
  for (const n of theirs) looks.set(n, "is-theirs");
  for (const n of mine) looks.set(n, "is-mine");
  const lines = [...looks].filter(([n]) => n >= 1 && n <= state.doc.lines).sort(([a], [b]) => a - b);
  return Decoration.set(
    lines.map(([n, look]) => Decoration.line({ class: look }).range(state.doc.line(n).from)),
  );
}

/** What every editor of Markdown has. */
export function base(label: string, readOnly: boolean): Extension[] {
  return [
    // Only "\n" parts lines, so that a file with other line ends keeps them to the byte; what is pasted has none of them.
    EditorState.lineSeparator.of("\n"),
    EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, "\n")),
    lineNumbers(),
    history(),
    drawSelection(),
    EditorView.lineWrapping,
    markdown({ addKeymap: true }),
    syntaxHighlighting(COLOURS),
    folds,
    entryTags,
    search({ top: true }),
    highlightSelectionMatches(),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    EditorState.readOnly.of(readOnly),
    EditorView.editable.of(!readOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      spellcheck: "true",
      tabindex: "0",
      ...(readOnly ? { "aria-readonly": "true" } : {}),
    }),
    readOnly ? [] : [highlightActiveLine(), highlightActiveLineGutter()],
  ];
}

/** A change that nobody typed here. */
export const notTyped = Annotation.define<boolean>();

/**
 * Replace the text by another one and touch only the lines that differ, so that the cursor and what is in sight stay
 * where they are. It is not undone with what was typed.
 */
export function replaceText(view: EditorView, next: string): void {
  const changes = textChanges(view.state.doc.toString(), next);
  if (changes.length)
    view.dispatch({ changes, annotations: [notTyped.of(true), Transaction.addToHistory.of(false)] });
}
