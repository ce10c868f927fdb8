/** The sidebar: which agent, where to go, what waits. It folds to a rail. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { DropdownMenu } from "radix-ui";
import { Fragment } from "react";
import { place } from "../address";
import { agents } from "../api/queries";
import { Icon } from "../parts/Icon";
import { keyName } from "../parts/keyNames";
import { useAgentName } from "./agentName";
import { GROUPS, PLACES } from "./places";

type Props = { agent: string; rail: boolean; waiting: number; onFind: () => void };

export function Sidebar({ agent, rail, waiting, onFind }: Props) {
  const name = useAgentName(agent);
  return (
    <nav className={`side ${rail ? "rail" : ""}`} aria-label={name}>
      <Switcher agent={agent} rail={rail} />
      <button
        type="button"
        className="find"
        onClick={onFind}
        aria-label={rail ? "Search or go to" : undefined}
      >
        <Icon name="search" />
        {!rail && (
          <>
            <span className="grow">Search or go to</span>
            <kbd aria-hidden="true">{keyName("mod+k")}</kbd>
          </>
        )}
      </button>
      {GROUPS.map((group) => (
        <Fragment key={group}>
          {group && (
            <div className="grp" aria-hidden={rail}>
              {rail ? "" : group}
            </div>
          )}
          {PLACES.filter((each) => each.group === group).map((each) => {
            const waits = each.to === "review" && waiting > 0;
            return (
              <Link
                key={each.to}
                to={place(each.to)}
                params={{ agent }}
                className="nav"
                aria-label={rail ? (waits ? `${each.name}, ${waiting} wait` : each.name) : undefined}
                title={rail ? each.name : undefined}
              >
                <Icon name={each.icon} />
                {!rail && <span>{each.name}</span>}
                {waits && (rail ? <span className="pip" /> : <Waiting count={waiting} />)}
              </Link>
            );
          })}
        </Fragment>
      ))}
      <div className="grow" />
      <Link
        to="/settings"
        className="nav"
        aria-label={rail ? "Settings" : undefined}
        title={rail ? "Settings" : undefined}
      >
        <Icon name="settings" />
        {!rail && <span>Settings</span>}
      </Link>
    </nav>
  );
}

function Waiting({ count }: { count: number }) {
  return (
    <span className="count">
      {count}
      <span className="hidden-text"> wait for you</span>
    </span>
  );
}

/** The agents (and teams and what is shared), one of which is shown. */
export function Switcher({ agent, rail }: { agent: string; rail: boolean }) {
  const all = useQuery(agents()).data?.agents ?? [];
  const name = useAgentName(agent);
  const navigate = useNavigate();
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="who" aria-label={`Agent: ${name}. Choose another`}>
        <Icon name="soul" className="mark" />
        {!rail && (
          <>
            <span className="grow truncate">{name}</span>
            <Icon name="updown" />
          </>
        )}
      </DropdownMenu.Trigger>
      <DropdownMenu.Content className="menu" align="start" sideOffset={4}>
        <DropdownMenu.RadioGroup
          value={agent}
          onValueChange={(id) => void navigate({ to: "/agents/$agent/home", params: { agent: id } })}
        >
          {all.map((each) => (
            <DropdownMenu.RadioItem key={each.id} value={each.id}>
              <span className="w-4">
                <DropdownMenu.ItemIndicator>
                  <Icon name="check" />
                </DropdownMenu.ItemIndicator>
              </span>
              <span className="grow">{each.kind === "shared" ? "Shared" : each.display_name}</span>
              {each.kind !== "agent" && <span className="text-12 text-muted">{each.kind}</span>}
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
