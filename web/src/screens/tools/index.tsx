/** Tools: what an agent can call to use its memory, with which parameters, and who may call it. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useAgent, useParam } from "../../address";
import { api, read, type Schemas } from "../../api/client";
import { Empty } from "../../parts/Empty";
import { Icon, type IconName } from "../../parts/Icon";
import { Panel } from "../../parts/Panel";
import { Reading } from "../../parts/Reading";
import { Told } from "../../parts/Told";
import { TopBar } from "../../parts/TopBar";
import { useAgentName } from "../../shell/agentName";
import { useKeys } from "../../shell/keys";
import { counted } from "../../words";
import "./tools.css";

type Tool = Schemas["ToolShown"];
type Parameter = { name: string; kind: string; isNeeded: boolean; description: string };

const tools = (name: string) =>
  queryOptions({
    queryKey: ["settings", name, "tools"],
    queryFn: () => read(api.GET("/api/agents/{name}/tools", { params: { path: { name } } })),
  });

/** Who may use a tool, by the right that it needs. */
const GROUPS: { needs: string; title: string; who: string; icon: IconName }[] = [
  {
    needs: "see",
    title: "Read memory",
    who: "Operators, agents and readers, each within what their session may see.",
    icon: "eye",
  },
  {
    needs: "tell",
    title: "Write to memory",
    who: "Operators and agents, within their session; readers may not. What changes the soul or the words of others waits for you.",
    icon: "pen",
  },
  { needs: "inspect", title: "Read whole files", who: "Who may see what is the operator’s.", icon: "files" },
  { needs: "decide", title: "Decide", who: "Operators only.", icon: "check" },
];

export default function Tools() {
  const agent = useAgent();
  const name = useAgentName(agent);
  const query = useQuery(tools(agent));
  const [chosen, setChosen] = useParam("tool");
  const all = query.data?.tools ?? [];
  const inOrder = GROUPS.flatMap((group) => all.filter((each) => each.needs === group.needs));
  const step = (by: number) => {
    const at = inOrder.findIndex((each) => each.name === chosen) + by;
    const next = inOrder[Math.max(0, at)];
    if (next) setChosen(next.name);
  };
  useKeys([
    { keys: "j", does: "Next tool", run: () => step(1) },
    { keys: "k", does: "Previous tool", run: () => step(-1) },
  ]);
  return (
    <>
      <TopBar title="Tools" fact={query.data ? `${name} has ${counted(all.length, "tool")}` : undefined} />
      <div className="body">
        <div className="scroll">
          <div className="page tools">
            <p className="soft">
              A program that runs {name} offers these to its language model. Each acts within the session that
              it is called in, so a tool never shows what that session may not see.
            </p>
            <Reading of={query} what="Reading the tools" lines={6}>
              {() =>
                all.length ? (
                  GROUPS.map((group) => {
                    const mine = all.filter((each) => each.needs === group.needs);
                    if (!mine.length) return null;
                    return (
                      <Panel key={group.needs} title={group.title} count={mine.length}>
                        <p className="who">
                          <Icon name={group.icon} />
                          {group.who}
                        </p>
                        {mine.map((each) => (
                          <One
                            key={each.name}
                            tool={each}
                            isOpen={each.name === chosen}
                            onToggle={() => setChosen(each.name === chosen ? "" : each.name)}
                          />
                        ))}
                      </Panel>
                    );
                  })
                ) : (
                  <Empty icon="tools" title={`${name} has no tools`}>
                    Memory is switched off in the settings, or this is a folder that is shared by agents.
                  </Empty>
                )
              }
            </Reading>
          </div>
        </div>
      </div>
    </>
  );
}

function One({ tool, isOpen, onToggle }: { tool: Tool; isOpen: boolean; onToggle: () => void }) {
  const parameters = parametersOf(tool);
  return (
    <section className="tool" aria-label={tool.label}>
      <button type="button" className="head" aria-expanded={isOpen} onClick={onToggle}>
        <Icon name={isOpen ? "down" : "right"} size="s" />
        <span className="grow">
          <span className="row wrap items-baseline">
            <b className="strong">{tool.label}</b>
            <span className="file muted">{tool.name}</span>
          </span>
          <span className={`soft block ${isOpen ? "" : "line-clamp-2"}`}>
            <Told text={tool.description} />
          </span>
        </span>
      </button>
      {isOpen && (
        <div className="inside">
          {parameters.length ? (
            <dl>
              {parameters.map((each) => (
                <div key={each.name}>
                  <dt>
                    <span className="file">{each.name}</span>
                    <span className="text-12 text-muted">
                      {each.kind}
                      {each.isNeeded ? ", needed" : ""}
                    </span>
                  </dt>
                  <dd className="soft">{each.description}</dd>
                </div>
              ))}
            </dl>
          ) : (
            <p className="muted">It takes no parameters.</p>
          )}
        </div>
      )}
    </section>
  );
}

const KINDS: Record<string, string> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "yes or no",
  array: "list",
  object: "object",
};

/** The parameters that a JSON schema tells of, in words. */
function parametersOf(tool: Tool): Parameter[] {
  const schema = tool.parameters as { properties?: Record<string, unknown>; required?: string[] };
  return Object.entries(schema.properties ?? {}).map(([name, of]) => {
    const given = of as { type?: string; enum?: unknown[]; description?: string };
    const kind = given.enum ? given.enum.map(String).join(", ") : (KINDS[given.type ?? ""] ?? "any value");
    return {
      name,
      kind: given.enum ? `one of ${kind}` : kind,
      isNeeded: (schema.required ?? []).includes(name),
      description: given.description ?? "",
    };
  });
}
