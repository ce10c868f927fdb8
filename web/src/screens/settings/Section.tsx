/** The settings of a section, or those that have the words looked for. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { settings } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Empty } from "../../parts/Empty";
import { Note } from "../../parts/Note";
import { Panel } from "../../parts/Panel";
import { Reading } from "../../parts/Reading";
import { One } from "./One";
import { groupName, groups, SECTIONS, type Setting, sectionOf } from "./values";

type Props = { section: string; find: string; agent: string; onClear: () => void };

export function Section({ section, find, agent, onClear }: Props) {
  const query = useQuery(settings(agent ? { agent } : {}));
  const [open, setOpen] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has nothing open
  useEffect(() => setOpen(""), [section, agent]);
  const about = SECTIONS.find((each) => each.id === section)?.about;
  return (
    <>
      {!find && about && <p className="soft">{about}</p>}
      <Reading of={query} what="Reading the settings" lines={6}>
        {({ settings: all, problems }) => {
          const mine = all.filter((each) => (find ? fits(each, find) : sectionOf(each.path) === section));
          return (
            <>
              {problems.map((each) => (
                <Note key={each} look="danger">
                  {each}
                </Note>
              ))}
              {mine.length ? (
                groups(mine).map(([parent, inside]) => (
                  <Panel key={parent} title={groupName(parent)} count={inside.length}>
                    <ul>
                      {inside.map((each) => (
                        <One
                          key={`${agent} ${each.path}`}
                          of={each}
                          agent={agent}
                          isOpen={open === each.path}
                          onOpen={(now) => setOpen(now ? each.path : "")}
                        />
                      ))}
                    </ul>
                  </Panel>
                ))
              ) : (
                <Empty
                  icon="search"
                  title={`No setting has “${find}”`}
                  action={<Button onClick={onClear}>Show all settings</Button>}
                >
                  Names, values and explanations were looked at.
                </Empty>
              )}
            </>
          );
        }}
      </Reading>
    </>
  );
}

function fits(of: Setting, find: string): boolean {
  const text =
    `${of.path} ${of.path.replace(/[._]/g, " ")} ${of.help} ${JSON.stringify(of.value)}`.toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
