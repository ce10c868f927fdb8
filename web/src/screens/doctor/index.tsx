/** Doctor: what is not in order and what to do, whether the embedder and the model answer, how the index stands. */
import { useQuery } from "@tanstack/react-query";
import { useAgent } from "../../address";
import type { Schemas } from "../../api/client";
import { health } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Icon, type IconName } from "../../parts/Icon";
import { Note } from "../../parts/Note";
import { Panel } from "../../parts/Panel";
import { Reading } from "../../parts/Reading";
import { Told } from "../../parts/Told";
import { TopBar } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { counted } from "../../words";
import { SearchIndex } from "./SearchIndex";
import { Services } from "./Services";
import "./doctor.css";

type Check = Schemas["CheckShown"];
const LEVELS: Record<string, { icon: IconName; look: string; words: string }> = {
  error: { icon: "alert", look: "danger", words: "Broken" },
  warning: { icon: "alert", look: "conflict", words: "Warning" },
  note: { icon: "info", look: "plain", words: "Note" },
  ok: { icon: "check", look: "ok", words: "In order" },
};

export default function Doctor() {
  const agent = useAgent();
  const name = useAgentName(agent);
  // It looks at the disk each time: what is shown must not be old.
  const query = useQuery({ ...health(), staleTime: 0 });
  const wrong = query.data?.checks.filter((each) => each.level === "error" || each.level === "warning") ?? [];
  return (
    <>
      <TopBar
        title="Doctor"
        fact={
          query.data
            ? wrong.length
              ? `${counted(wrong.length, "thing")} to look at`
              : query.data.status === "ok"
                ? "Everything is in order"
                : "Works only in part"
            : undefined
        }
      >
        <Button
          icon="doctor"
          disabled={query.isFetching}
          aria-busy={query.isFetching}
          onClick={() => void query.refetch()}
        >
          Look again
        </Button>
      </TopBar>
      <div className="body">
        <div className="scroll">
          <div className="page doctor">
            <Reading of={query} what="Looking at the home" lines={5}>
              {({ checks, status }) => {
                const notes = checks.filter((each) => each.level === "note");
                const fine = checks.filter((each) => each.level === "ok");
                return (
                  <>
                    {wrong.length > 0 && (
                      <Panel title="Needs you" count={wrong.length} look="danger">
                        <Checks of={wrong} />
                      </Panel>
                    )}
                    {!wrong.length && status !== "ok" && (
                      <Note look="conflict">
                        Something works only in part. Operators of this home are told what it is.
                      </Note>
                    )}
                    <Services />
                    <SearchIndex key={agent} agent={agent} name={name} />
                    {notes.length > 0 && (
                      <Panel title="Good to know" count={notes.length}>
                        <Checks of={notes} />
                      </Panel>
                    )}
                    {fine.length > 0 && (
                      <Panel title="In order" count={fine.length}>
                        <Checks of={fine} />
                      </Panel>
                    )}
                  </>
                );
              }}
            </Reading>
          </div>
        </div>
      </div>
    </>
  );
}

function Checks({ of }: { of: Check[] }) {
  return (
    <ul>
      {of.map((each) => {
        const { icon, look, words } = LEVELS[each.level] ?? {
          icon: "info",
          look: "plain",
          words: each.level,
        };
        return (
          <li key={`${each.about} ${each.message}`} className="finding">
            <span className={`kind ${look}`} title={words}>
              <Icon name={icon} />
              <span className="hidden-text">{words}: </span>
            </span>
            <div className="min-w-0">
              <p className="facts">
                <b className="strong">{headed(each.about)}</b>{" "}
                <span className="soft">
                  <Told text={each.message} />
                </span>
              </p>
              {each.advice && (
                <p className="advice">
                  <Told text={sentence(each.advice)} />
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function headed(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function sentence(text: string): string {
  return headed(text) + (/[.?!]$/.test(text) ? "" : ".");
}
