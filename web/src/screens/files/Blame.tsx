/** Who wrote each line, and why: lines of one change together. A click leads to them. */
import { useQuery } from "@tanstack/react-query";
import { useParam } from "../../address";
import type { Schemas } from "../../api/client";
import { blame } from "../../api/queries";
import { Empty } from "../../parts/Empty";
import { Reading } from "../../parts/Reading";
import { author, moment, plainWords } from "../../words";

type Line = Schemas["BlamedLine"];

/** Neighbouring lines of one change; empty lines belong to those before them. */
function runs(lines: readonly Line[]): Line[][] {
  const result: Line[][] = [];
  for (const line of lines) {
    const last = result.at(-1);
    if (last && (last[0]?.change === line.change || !line.text.trim())) last.push(line);
    else result.push([line]);
  }
  return result;
}

function places(run: readonly Line[]): string {
  const full = run.filter((line) => line.text.trim());
  const first = full[0]?.line ?? run[0]?.line;
  const last = full.at(-1)?.line ?? first;
  return first === last ? `${first}` : `${first}–${last}`;
}

export function Blame({ agent, path, isTyped }: { agent: string; path: string; isTyped: boolean }) {
  const query = useQuery(blame(agent, path));
  const [line, setLine] = useParam("line");
  return (
    <Reading of={query} what="Reading who wrote it" lines={4}>
      {({ lines }) =>
        lines.length ? (
          <>
            {isTyped && <p className="meta as-saved">Lines are numbered as they are saved.</p>}
            <ul className="history blame">
              {runs(lines).map((run) => {
                const first = run.find((each) => each.text.trim()) ?? run[0];
                if (!first) return null;
                return (
                  <li key={first.line} className={line === String(first.line) ? "open" : ""}>
                    <button type="button" className="what" onClick={() => setLine(String(first.line))}>
                      <span className="row">
                        <b className="strong grow">
                          {first.author ? author(first.author) : "Not recorded yet"}
                        </b>
                        <span className="file muted">{places(run)}</span>
                      </span>
                      <span className="said file">{plainWords(first.text.replace(/^[-#\s]+/, ""))}</span>
                      <span className="meta">
                        {[first.at ? moment(first.at) : "", first.reason ?? ""].filter(Boolean).join(", ")}
                      </span>
                    </button>
                  </li>
                );
              })}
            </ul>
          </>
        ) : (
          <Empty icon="files" title="The file is empty" />
        )
      }
    </Reading>
  );
}
