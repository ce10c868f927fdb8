/** A difference: sign, ground, and a mark on the words that differ. Unchanged lines fold. */
import { type ReactNode, useMemo, useState } from "react";
import { type DiffLine, diffOfTexts, diffOfUnified, type FileDiff, type Mark } from "../diff";
import { counted } from "../words";

type Props = {
  /** A unified diff as the API gives it; or `before` and `after` with a `path`. */
  diff?: string;
  before?: string;
  after?: string;
  path?: string;
  /** Said beside the file's name, such as its section; a function says it of each file. */
  section?: Said;
  /** Said at the end of the head, such as "612 → 631 tokens". */
  aside?: Said;
  /** Every line is shown; none fold. Only with `before` and `after`. */
  whole?: boolean;
};
type Said = ReactNode | ((file: FileDiff) => ReactNode);
const saidOf = (what: Said, file: FileDiff) => (typeof what === "function" ? what(file) : what);

export function Diff({ diff, before = "", after = "", path = "", section, aside, whole = false }: Props) {
  const files = useMemo<FileDiff[]>(
    () =>
      diff === undefined
        ? [{ path, lines: diffOfTexts(before, after, whole ? Number.POSITIVE_INFINITY : undefined) }]
        : diffOfUnified(diff),
    [diff, before, after, path, whole],
  );
  return files.map((file) => {
    const beside = saidOf(section, file);
    const atEnd = saidOf(aside, file);
    return (
      <figure className="diff" key={file.path} aria-label={`Difference in ${file.path || "the text"}`}>
        {(file.path || path || beside || atEnd) && (
          <figcaption className="dh">
            <span className="file">{file.path || path}</span>
            {beside && <span>{beside}</span>}
            <span className="grow" />
            {atEnd && <span className="num">{atEnd}</span>}
          </figcaption>
        )}
        <Lines lines={file.lines} />
      </figure>
    );
  });
}

function Lines({ lines }: { lines: DiffLine[] }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  return lines.map((line, i) => {
    // The lines of one difference never move: their place is their key.
    if (line.kind === "skip") {
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      if (opened.has(i)) return <Lines key={i} lines={line.lines} />;
      const words = `${counted(line.count, "line")} unchanged`;
      return line.lines.length ? (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          key={i}
          type="button"
          className="skipped"
          onClick={() => setOpened(new Set([...opened, i]))}
        >
          {words}
        </button>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={i} className="skipped">
          {words}
        </div>
      );
    }
    const number = line.kind === "del" ? line.before : line.after;
    const look = line.kind === "same" ? "ctx" : line.kind;
    const marks = line.kind === "same" ? [{ text: line.text, differs: false }] : line.marks;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <div key={i} className={`l ${look}`}>
        <span>{number}</span>
        <span>
          <span aria-hidden="true">{line.kind === "del" ? "−" : line.kind === "add" ? "+" : ""}</span>
          {line.kind !== "same" && (
            <span className="hidden-text">{line.kind === "del" ? "removed:" : "added:"}</span>
          )}
        </span>
        <span>
          <Words marks={marks} />
        </span>
      </div>
    );
  });
}

const COMMENT = /(<!--os[\s\S]*?-->)/;

function Words({ marks }: { marks: Mark[] }) {
  return marks.map((mark, i) => {
    const inside = mark.text.split(COMMENT).map((piece, n) =>
      COMMENT.test(piece) ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line keep their places
        <Folded key={n} text={piece} />
      ) : (
        piece
      ),
    );
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line keep their places
    return mark.differs ? <b key={i}>{inside}</b> : <span key={i}>{inside}</span>;
  });
}

/** An entry's comment, which the eye need not read. */
export function Folded({ text }: { text: string }) {
  return (
    <span className="fold" title={text.slice(4, -3)}>
      ···
    </span>
  );
}
