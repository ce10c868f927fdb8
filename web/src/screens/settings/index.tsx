/** Settings: what holds and where it was set, changed in place; tokens, people, colours, keys, log out. */
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useParam } from "../../address";
import { agents } from "../../api/queries";
import { Field } from "../../parts/Field";
import type { IconName } from "../../parts/Icon";
import { Select } from "../../parts/Select";
import { TopBar } from "../../parts/TopBar";
import { TreeItem } from "../../parts/TreeItem";
import { useKeys } from "../../shell/keys";
import { Appearance } from "./Appearance";
import { People } from "./People";
import { Section } from "./Section";
import { Tokens } from "./Tokens";
import { SECTIONS } from "./values";
import "./settings.css";

const FIRST = "browser";
const PLACES: readonly { id: string; name: string; icon: IconName }[] = [
  { id: FIRST, name: "This browser", icon: "eye" },
  { id: "tokens", name: "Tokens", icon: "lock" },
  { id: "people", name: "People", icon: "person" },
];
const ICONS: Record<string, IconName> = {
  general: "settings",
  memory: "memory",
  search: "search",
  context: "context",
  keepers: "keepers",
  storage: "archive",
};

export default function Settings() {
  const [section, setSection] = useParam("section", FIRST);
  const [find, setFind] = useParam("q");
  const [agent, setAgent] = useParam("agent");
  const all = (useQuery(agents()).data?.agents ?? []).filter((each) => each.kind === "agent");
  const field = useRef<HTMLDivElement>(null);
  useKeys([{ keys: "/", does: "Find a setting", run: () => field.current?.querySelector("input")?.focus() }]);
  const isOwn = !find && PLACES.some((each) => each.id === section);
  const open = (id: string) => {
    if (find) setFind("");
    setSection(id, true);
  };
  const everything = [
    ...PLACES,
    ...SECTIONS.map((each) => ({ id: each.id, name: each.name, icon: ICONS[each.id] ?? "settings" })),
  ];
  return (
    <>
      <TopBar
        title="Settings"
        fact={find && <span className="only-desk truncate text-muted">Found in all sections</span>}
      >
        <div ref={field} className="finder">
          <Field
            label="Find a setting"
            quiet
            icon="search"
            placeholder="Find a setting"
            type="search"
            value={find}
            onChange={(event) => setFind(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && setFind("")}
            end={<kbd aria-hidden="true">/</kbd>}
          />
        </div>
      </TopBar>
      <div className="body settings">
        <nav className="tree only-desk" aria-label="Sections of the settings">
          {everything.map((each) => (
            <div key={each.id}>
              {each.id === SECTIONS[0]?.id && <hr />}
              <TreeItem
                icon={each.icon}
                name={each.name}
                chosen={!find && section === each.id}
                onOpen={() => open(each.id)}
              />
            </div>
          ))}
        </nav>
        <div className="scroll">
          <div className="page inside">
            <div className="only-phone">
              <Select
                label="Section"
                value={find ? "" : section}
                choices={[
                  ...(find ? [{ value: "", label: "All sections" }] : []),
                  ...everything.map((each) => ({ value: each.id, label: each.name })),
                ]}
                onChange={open}
              />
            </div>
            {!isOwn && all.length > 0 && (
              <Select
                label="Settings of"
                shown
                value={agent}
                choices={[
                  { value: "", label: "the whole home" },
                  ...all.map((each) => ({ value: each.id, label: `${each.display_name} alone` })),
                ]}
                onChange={setAgent}
              />
            )}
            {find || !isOwn ? (
              <Section section={section} find={find.trim()} agent={agent} onClear={() => setFind("")} />
            ) : section === "tokens" ? (
              <Tokens />
            ) : section === "people" ? (
              <People />
            ) : (
              <Appearance />
            )}
          </div>
        </div>
      </div>
    </>
  );
}
