/** The texts of a proposal, to edit in place before they are approved; merged with what was written meanwhile. */
import { useState } from "react";
import { Editor, MergeView } from "../../parts/lazy";
import { Segmented } from "../../parts/Segmented";
import type { Whole } from "./deciding";
import { fileOf } from "./rows";

type Props = {
  of: Whole;
  texts: Record<string, string>;
  /** What approval would make of the files now, where they changed while somebody typed. */
  theirs: Record<string, string>;
  onChange: (path: string, text: string) => void;
  onSave: () => void;
};

export function Editing({ of, texts, theirs, onChange, onSave }: Props) {
  const [path, setPath] = useState(fileOf(of.files));
  const preview = of.previews.find((each) => each.path === path) ?? of.previews[0];
  if (!preview) return null;
  const mine = texts[preview.path] ?? "";
  const other = theirs[preview.path];
  return (
    <div className="editing">
      {of.previews.length > 1 ? (
        <Segmented
          label="File"
          value={preview.path}
          choices={of.previews.map((each) => ({ value: each.path, label: each.path }))}
          onChange={setPath}
        />
      ) : (
        <p className="file">{preview.path}</p>
      )}
      {other !== undefined ? (
        <MergeView
          key={preview.path}
          theirs={other}
          mine={mine}
          onChange={(text) => onChange(preview.path, text)}
        />
      ) : (
        <Editor
          key={preview.path}
          label={preview.path}
          value={mine}
          saved={preview.text ?? ""}
          line={firstLine(of.diff, preview.path)}
          onChange={(text) => onChange(preview.path, text)}
          onSave={onSave}
        />
      )}
    </div>
  );
}

/** The number of the first line that the proposal would write into a file. */
function firstLine(diff: string, path: string): number | undefined {
  let here = false;
  let at = 0;
  for (const line of diff.split("\n")) {
    const hunk = /^@@ -\S+ \+(\d+)/.exec(line);
    if (line.startsWith("+++ ")) here = line.includes(path);
    else if (hunk) at = Number(hunk[1]);
    else if (here && line.startsWith("+")) return at;
    else if (!line.startsWith("-")) at++;
  }
  return undefined;
}
