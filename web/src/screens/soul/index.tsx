/** Soul: how SOUL.md became what it is, any two versions of it, why, and the way back. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { place, type Search, useAgent, useParam } from "../../address";
import { file, proposals, settings } from "../../api/queries";
import { Audience } from "../../parts/Audience";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Icon } from "../../parts/Icon";
import { Markdown } from "../../parts/lazy";
import { Reading } from "../../parts/Reading";
import { Segmented } from "../../parts/Segmented";
import { TopBar } from "../../parts/TopBar";
import { useKeys } from "../../shell/keys";
import { counted, number } from "../../words";
import { Compare } from "./Compare";
import { Timeline } from "./Timeline";
import { SOUL, useVersions } from "./versions";
import "./soul.css";

export default function Soul() {
  const agent = useAgent();
  const [view, setView] = useParam("view", "timeline");
  const [toAsked] = useParam("to");
  const [fromAsked] = useParam("from");
  const [show, setShow] = useParam("show", "changes");
  const { query, versions } = useVersions(agent);
  const waiting = useQuery(proposals(agent, { state: "open", limit: 1000 })).data?.proposals ?? [];
  const soulOnes = waiting.filter((each) => each.files.includes(SOUL));
  const limit = useQuery(settings()).data?.settings.find((each) => each.path === "context.identity_tokens");
  const newest = versions[0];
  const to = versions.find((each) => String(each.version) === toAsked) ?? newest;
  const at = to ? versions.indexOf(to) : -1;
  const from = versions.find((each) => String(each.version) === fromAsked) ?? versions[at + 1];

  const navigate = useNavigate();
  const compare = (first: string, second: string, replace = true) =>
    void navigate({
      to: ".",
      search: ((old: Search) => ({ ...old, from: first || undefined, to: second || undefined })) as never,
      replace,
    });
  const open = (version: number) => compare("", String(version), false);
  const step = (by: number) => {
    const next = versions[at + by];
    if (next) open(next.version);
  };
  useKeys([
    { keys: "j", does: "Next version", run: () => step(1) },
    { keys: "k", does: "Previous version", run: () => step(-1) },
  ]);

  return (
    <>
      <TopBar
        title="Soul"
        before={
          toAsked && (
            <span className="only-phone">
              <Button look="quiet" icon="back" label="All versions" onClick={() => compare("", "")} />
            </span>
          )
        }
        fact={
          <>
            <Audience of="public" />
            {newest && (
              <span className="text-muted only-desk">
                {limit
                  ? `${number(newest.tokens)} of ${counted(Number(limit.value), "token")}`
                  : counted(newest.tokens, "token")}
              </span>
            )}
          </>
        }
      >
        {/* A phone has no room for it beside the way back. */}
        <span className={toAsked ? "only-desk" : ""}>
          <Segmented
            label="View"
            value={view === "read" ? "read" : "timeline"}
            choices={[
              { value: "read", label: "Read" },
              { value: "timeline", label: "Timeline" },
            ]}
            onChange={setView}
          />
        </span>
        <Link
          className="btn"
          to={place("files")}
          params={{ agent }}
          search={{ file: SOUL }}
          aria-label="Edit SOUL.md"
        >
          <Icon name="pen" />
          <span className="only-desk">Edit SOUL.md</span>
        </Link>
      </TopBar>
      <div className={`body soul ${toAsked ? "one" : ""}`}>
        {view === "read" ? (
          <Read agent={agent} />
        ) : (
          <Reading of={query} what="Reading the versions" lines={4}>
            {() =>
              to ? (
                <>
                  <Timeline
                    agent={agent}
                    versions={versions}
                    proposals={soulOnes}
                    from={from?.version ?? 0}
                    to={to.version}
                    onOpen={open}
                  />
                  <Compare
                    key={to.version}
                    agent={agent}
                    versions={versions}
                    from={from}
                    to={to}
                    show={show}
                    onFrom={(version) => compare(version, String(to.version))}
                    // The other end stays where it is.
                    onTo={(version) => compare(String(from?.version ?? ""), version)}
                    onShow={setShow}
                  />
                </>
              ) : (
                <Empty icon="soul" title="SOUL.md has no versions yet">
                  Each change of SOUL.md becomes a version here, with its reason.
                </Empty>
              )
            }
          </Reading>
        )}
      </div>
    </>
  );
}

/** What stands in SOUL.md now, as it reads. */
function Read({ agent }: { agent: string }) {
  const query = useQuery(file(agent, SOUL));
  return (
    <section className="scroll" tabIndex={0} aria-label="SOUL.md">
      <div className="page reading">
        <Reading of={query} what="Reading SOUL.md" lines={6}>
          {(found) => <Markdown text={found.content ?? ""} />}
        </Reading>
      </div>
    </section>
  );
}
