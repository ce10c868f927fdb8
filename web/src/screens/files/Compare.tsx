/** The file as it was after a change, beside what it says now. */
import { useQuery } from "@tanstack/react-query";
import { change } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Diff } from "../../parts/Diff";
import { Empty } from "../../parts/Empty";
import { Reading } from "../../parts/Reading";
import { moment } from "../../words";
import { fileThen } from "./reading";

type Props = { agent: string; path: string; number: number; now: string; onClose: () => void };

export function Compare({ agent, path, number, now, onClose }: Props) {
  const then = useQuery(fileThen(agent, number, path));
  const at = useQuery(change(agent, number)).data?.at;
  return (
    <section className="comparing" aria-label="Compare with a version">
      <div className="bar">
        <span className="grow truncate">
          <b className="strong">{at ? `As it was ${moment(at)}` : "As it was"}</b>{" "}
          <span className="muted">compared with what it says now</span>
        </span>
        <Button size="small" icon="x" onClick={onClose}>
          Close
        </Button>
      </div>
      <div className="scroll p-4">
        <Reading of={then} what="Reading the version" lines={4}>
          {({ text }) =>
            text === now ? (
              <Empty icon="check" title="Nothing differs">
                The file says now what it said then.
              </Empty>
            ) : (
              <Diff before={text} after={now} path={path} />
            )
          }
        </Reading>
      </div>
    </section>
  );
}
