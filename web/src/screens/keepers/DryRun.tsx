/** What a keeper would do now, as differences. Nothing is written. */
import { useMutation } from "@tanstack/react-query";
import { api, read, type Schemas } from "../../api/client";
import { Button } from "../../parts/Button";
import { Diff } from "../../parts/Diff";
import { Empty } from "../../parts/Empty";
import { Kind } from "../../parts/Kind";
import { Loading } from "../../parts/Loading";
import { Panel } from "../../parts/Panel";
import { ProblemBox } from "../../parts/ProblemBox";
import { counted } from "../../words";
import { inWords, price } from "./words";

type Report = Schemas["ReportShown"];

export function useDryRun(agent: string, keeper: string) {
  return useMutation({
    mutationFn: () =>
      read(
        api.POST("/api/agents/{name}/keepers/{keeper}/dry-run", {
          params: { path: { name: agent, keeper } },
        }),
      ),
  });
}

type Props = { of: ReturnType<typeof useDryRun>; keeper: string };

export function DryRun({ of, keeper }: Props) {
  if (of.isIdle) return null;
  const reports = of.data?.runs ?? [];
  const steps = reports.flatMap((report) => report.steps);
  return (
    <Panel
      title="Dry run"
      count={of.isSuccess ? counted(steps.length, "step") : undefined}
      aside={
        of.isPending ? null : (
          <Button look="quiet" size="small" icon="x" label="Close the dry run" onClick={of.reset} />
        )
      }
    >
      {of.isPending && (
        <Loading what={`${keeper} works out what it would do; nothing is written`} lines={3} />
      )}
      {of.isError && (
        <div className="p-4">
          <ProblemBox
            title="The dry run did not work."
            error={of.error}
            safe="Nothing was written."
            onRetry={of.mutate}
          />
        </div>
      )}
      {of.isSuccess &&
        (reports.some((each) => each.steps.length || each.notes.length || each.problems.length) ? (
          <div className="grid gap-4 p-4" role="status">
            {reports.map((report) => (
              <One key={report.run} report={report} />
            ))}
          </div>
        ) : (
          <Empty icon="check" title="It would change nothing">
            {keeper} finds nothing to do now.
          </Empty>
        ))}
    </Panel>
  );
}

function One({ report }: { report: Report }) {
  const cost = report.cost ? ` That cost ${price(report.cost)}.` : "";
  return (
    <section className="grid gap-3" aria-label={report.keeper}>
      {report.steps.map((step) => (
        <div key={`${step.reason} ${step.files.join(" ")}`} className="grid gap-2">
          <p className="row wrap">
            <span className="strong">{inWords(step.reason)}</span>
            {step.waits && (
              <Kind look="proposal" icon="review">
                would wait for you
              </Kind>
            )}
          </p>
          {step.problem && <p className="soft">{inWords(step.problem)}</p>}
          {step.warnings.map((warning) => (
            <p key={warning} className="soft">
              {inWords(warning)}
            </p>
          ))}
          {step.diff && <Diff diff={step.diff} />}
        </div>
      ))}
      {[...report.problems, ...report.notes].map((note) => (
        <p key={note} className="soft">
          {inWords(note)}
        </p>
      ))}
      {report.asked > 0 && (
        <p className="muted text-12">
          The model was asked {counted(report.asked, "question")}.{cost}
        </p>
      )}
    </section>
  );
}
