/** What came of deciding on several at once: how many were done, and what could not be done, and why. */
import { Link } from "@tanstack/react-router";
import { place, type Search } from "../../address";
import { Button } from "../../parts/Button";
import { counted } from "../../words";
import type { Bulk } from "./deciding";
import { sentence } from "./rows";

export function BulkDone({ agent, of, onClose }: { agent: string; of: Bulk; onClose: () => void }) {
  return (
    <div className="bulk-done" role="alert">
      <div className="row">
        <b className="strong grow">
          {counted(of.done.length, "proposal")} {of.deed}, {of.failed.length} not
        </b>
        <Button look="quiet" size="small" icon="x" label="Close" onClick={onClose} />
      </div>
      <ul>
        {of.failed.map(({ row, why }) => (
          <li key={row.id}>
            <Link
              className="words"
              to={place("review")}
              params={{ agent }}
              search={((old: Search) => ({ ...old, item: row.id })) as never}
            >
              {row.words}
            </Link>
            <p className="soft">{sentence(why)}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
