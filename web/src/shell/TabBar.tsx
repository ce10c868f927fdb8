/** The bar at the foot of a phone, and the sheet with all other places. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { place } from "../address";
import { Icon } from "../parts/Icon";
import { Sheet } from "../parts/Sheet";
import { useAgentName } from "./agentName";
import { PLACES, SEARCH, TABS } from "./places";
import { Switcher } from "./Sidebar";

export function TabBar({ agent, waiting }: { agent: string; waiting: number }) {
  const name = useAgentName(agent);
  const [more, setMore] = useState(false);
  const tabs = PLACES.filter((each) => TABS.includes(each.to));
  const others = [SEARCH, ...PLACES.filter((each) => !TABS.includes(each.to))];
  return (
    <>
      <nav className="tabbar" aria-label={`${name}, main places`}>
        {tabs.map((each) => (
          <Link key={each.to} to={place(each.to)} params={{ agent }}>
            <Icon name={each.icon} />
            <span>{each.name}</span>
            {each.to === "review" && waiting > 0 && (
              <span className="pip">
                <span className="hidden-text">, {waiting} wait</span>
              </span>
            )}
          </Link>
        ))}
        <button type="button" aria-haspopup="dialog" onClick={() => setMore(true)}>
          <Icon name="menu" />
          <span>More</span>
        </button>
      </nav>
      <Sheet open={more} title="More" onClose={() => setMore(false)}>
        <Switcher agent={agent} rail={false} />
        <ul className="mt-2 grid grid-cols-2 gap-2">
          {others.map((each) => (
            <li key={each.to}>
              <Link
                to={place(each.to)}
                params={{ agent }}
                onClick={() => setMore(false)}
                className="row h-11 rounded-2 border border-line bg-surface px-3"
              >
                <Icon name={each.icon} className="text-muted" />
                {each.name}
              </Link>
            </li>
          ))}
          <li>
            <Link
              to="/settings"
              onClick={() => setMore(false)}
              className="row h-11 rounded-2 border border-line bg-surface px-3"
            >
              <Icon name="settings" className="text-muted" />
              Settings
            </Link>
          </li>
        </ul>
      </Sheet>
    </>
  );
}
