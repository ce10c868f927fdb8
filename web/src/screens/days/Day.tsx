/** One day: its log as it reads, what was talked about, what is to be done, and what was learnt. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { place } from "../../address";
import type { Schemas } from "../../api/client";
import { Empty } from "../../parts/Empty";
import { EntryRow } from "../../parts/EntryRow";
import { Icon } from "../../parts/Icon";
import { Markdown } from "../../parts/lazy";
import { Meta } from "../../parts/Meta";
import { Panel } from "../../parts/Panel";
import { Reading } from "../../parts/Reading";
import { counted, longDay } from "../../words";
import { wholeDayOf } from "./queries";

type Whole = Schemas["DayWhole"];

export function Day({ agent, name, day }: { agent: string; name: string; day: string }) {
  const query = useQuery(wholeDayOf(agent, day));
  return (
    <Reading of={query} what={`Reading ${longDay(day)}`} lines={4}>
      {(found) => <Found agent={agent} name={name} day={day} found={found} />}
    </Reading>
  );
}

type Props = { agent: string; name: string; day: string; found: Whole };

function Found({ agent, name, day, found }: Props) {
  const tasks = found.sessions.flatMap((each) => each.tasks.map((task) => ({ ...task, of: each })));
  const later = found.sessions.flatMap((each) => each.follow_ups.map((task) => ({ ...task, of: each })));
  if (!found.logs.length && !found.sessions.length && !found.learnt.length)
    return (
      <div className="panel">
        <Empty icon="days" title={`Nothing on ${longDay(day)}`}>
          What is said to {name} on a day, and what becomes of it, stands here.
        </Empty>
      </div>
    );
  return (
    <div className="cols">
      <div className="col">
        {found.logs.length ? (
          found.logs.map((log) => (
            <Panel
              key={log.path}
              title="Log"
              count={log.archived ? "archived, read only" : "read only"}
              aside={
                <Link
                  className="link file"
                  to={place("files")}
                  params={{ agent }}
                  search={{ file: log.path }}
                >
                  {log.path}
                </Link>
              }
            >
              <div className="log">
                <Markdown text={readable(log.text)} />
              </div>
            </Panel>
          ))
        ) : (
          <Panel title="Log">
            <Empty icon="files" title="No log yet">
              It is written when a session ends.
            </Empty>
          </Panel>
        )}
      </div>
      <div className="col">
        <Panel title="Sessions" count={found.sessions.length || undefined}>
          {found.sessions.length ? (
            <ul className="lines">
              {found.sessions.map((each) => (
                <li key={each.session}>
                  {each.summary ? (
                    <p className="words">{each.summary}</p>
                  ) : (
                    <p className="soft">Not summarised yet: that happens when it ends.</p>
                  )}
                  <Meta>
                    <span className="file">{each.session}</span>
                    {counted(each.messages, "message")}
                    {each.messages > 0 ? (
                      <Link
                        className="link"
                        to={place("chat")}
                        params={{ agent }}
                        search={{ session: each.session }}
                      >
                        Open conversation
                      </Link>
                    ) : null}
                  </Meta>
                </li>
              ))}
            </ul>
          ) : (
            <Empty icon="chat" title="Nobody talked to it" />
          )}
        </Panel>
        {tasks.length > 0 && <Tasks agent={agent} title="Tasks" tasks={tasks} />}
        {later.length > 0 && <Tasks agent={agent} title="Follow-ups" tasks={later} />}
        {found.learnt.length > 0 && (
          <Panel title="Learnt" count={found.learnt.length} className="lately">
            <ul>
              {found.learnt.map((each) => (
                <li key={`${each.path} ${each.entry || each.line}`}>
                  <EntryRow entry={each} />
                </li>
              ))}
            </ul>
          </Panel>
        )}
      </div>
    </div>
  );
}

type Task = Whole["sessions"][number]["tasks"][number] & { of: Whole["sessions"][number] };

function Tasks({ agent, title, tasks }: { agent: string; title: string; tasks: readonly Task[] }) {
  const open = tasks.filter((each) => !each.done).length;
  return (
    <Panel title={title} count={open ? `${open} open` : "all done"}>
      <ul className="lines">
        {tasks.map((task) => (
          <li key={`${task.of.session} ${task.entry || task.line}`} className="task">
            {task.done ? <Icon name="check" /> : <i className="open-task" />}
            <span className="grow">
              <span className={`words ${task.done ? "muted" : ""}`}>{task.text}</span>
              <span className="hidden-text">{task.done ? " (done)" : " (open)"}</span>
            </span>
            {task.of.path && (
              <Link
                className="link"
                aria-label={`Open “${task.text}” in its file`}
                to={place("files")}
                params={{ agent }}
                search={{ file: task.of.path, line: String(task.line) }}
              >
                Open
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The log without its title, which stands above it already; hours as hours; links to files as their names. */
function readable(text: string): string {
  return text
    .replace(/^# .*\n+/, "")
    .replace(/^## \d{4}-\d{2}-\d{2} (\d{2}:\d{2})( UTC)?/gm, "## $1$2")
    .replace(/^\[Session\]\([^)]*\)\s*$/gm, "");
}
