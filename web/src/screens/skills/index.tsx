/** Skills: which of them an agent is told of, and why the others are left out. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { place, useAgent, useParam } from "../../address";
import type { Schemas } from "../../api/client";
import { skills, stats } from "../../api/queries";
import { Empty } from "../../parts/Empty";
import { Field } from "../../parts/Field";
import { Icon } from "../../parts/Icon";
import { Meta } from "../../parts/Meta";
import { Panel } from "../../parts/Panel";
import { Reading } from "../../parts/Reading";
import { TopBar } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { counted } from "../../words";
import "./skills.css";

type Skill = Schemas["SkillShown"];
const FROM: Record<string, string> = {
  workspace: "its own",
  bundled: "comes with Oldsoul",
  plugin: "from a plugin",
};
const FEW = 8;

export default function Skills() {
  const agent = useAgent();
  const name = useAgentName(agent);
  const [find, setFind] = useParam("q");
  const query = useQuery(skills(agent));
  const folder = useQuery(stats(agent)).data?.folder;
  const all = query.data?.skills ?? [];
  const words = find.toLowerCase();
  const fits = (each: Skill) => `${each.name} ${each.description}`.toLowerCase().includes(words);
  const told = all.filter((each) => each.offered);
  const isFiltered = find !== "";
  return (
    <>
      <TopBar
        title="Skills"
        fact={query.data ? `${name} is told of ${counted(told.length, "skill")}` : undefined}
      />
      <div className="body">
        <div className="scroll">
          <div className="page skills">
            {(all.length > FEW || isFiltered) && (
              <Field
                label="Find a skill"
                quiet
                icon="search"
                placeholder="Find a skill"
                value={find}
                onChange={(event) => setFind(event.target.value)}
              />
            )}
            <Reading of={query} what="Reading the skills" lines={5}>
              {({ skipped }) => {
                const [yes, no] = [told.filter(fits), all.filter((each) => !each.offered && fits(each))];
                if (isFiltered && !yes.length && !no.length)
                  return (
                    <Empty icon="search" title="No skill has these words">
                      It may be in a folder that could not be read; those are shown without a filter.
                    </Empty>
                  );
                return (
                  <>
                    {(yes.length > 0 || !isFiltered) && (
                      <Panel title="Told" count={yes.length || undefined}>
                        {yes.length ? (
                          <List agent={agent} of={yes} folder={folder} />
                        ) : (
                          <Empty icon="skills" title={`${name} is told of no skill`}>
                            A skill is a folder with a SKILL.md in <span className="file">skills/</span>.
                          </Empty>
                        )}
                      </Panel>
                    )}
                    {no.length > 0 && (
                      <Panel title="Left out" count={no.length}>
                        <List agent={agent} of={no} folder={folder} />
                      </Panel>
                    )}
                    {skipped.length > 0 && !isFiltered && (
                      <Panel title="Could not be read" count={skipped.length} look="danger">
                        <ul>
                          {skipped.map((each) => (
                            <li key={each.location} className="skill">
                              <p>{sentence(each.why)}</p>
                              <Meta>
                                {FROM[each.source] ?? each.source}
                                <Where agent={agent} location={each.location} folder={folder} />
                              </Meta>
                            </li>
                          ))}
                        </ul>
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

function List({ agent, of, folder }: { agent: string; of: Skill[]; folder?: string }) {
  return (
    <ul>
      {of.map((each) => (
        <li key={each.location} className="skill">
          <h3 className="strong">{each.name}</h3>
          {each.why && (
            <p className="kind conflict">
              <Icon name="eyeoff" size="s" />
              {sentence(each.why)}
            </p>
          )}
          <p className="soft">{each.description}</p>
          {each.notes.map((note) => (
            <p key={note} className="text-12 text-muted">
              {sentence(`Note: ${note}`)}
            </p>
          ))}
          <Meta>
            {FROM[each.source] ?? each.source}
            {each.disable_model_invocation ? "only when somebody asks for it" : null}
            {each.source === "bundled" ? null : <Where agent={agent} location={each.path} folder={folder} />}
          </Meta>
        </li>
      ))}
    </ul>
  );
}

/** A link where the file stands among the agent's files; elsewhere its path. */
function Where({ agent, location, folder }: { agent: string; location: string; folder?: string }) {
  if (!folder || !location.startsWith(`${folder}/`)) return <span className="file">{location}</span>;
  const file = location.slice(folder.length + 1);
  return (
    <Link className="link file" to={place("files")} params={{ agent }} search={{ file }}>
      {file}
    </Link>
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".");
}
