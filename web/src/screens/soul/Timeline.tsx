/** The versions and what is proposed, the newest first, on a line; rings above them. */
import { Link } from "@tanstack/react-router";
import { place } from "../../address";
import type { Schemas } from "../../api/client";
import { Icon } from "../../parts/Icon";
import { Meta } from "../../parts/Meta";
import { author, counted, daysAgo, moment, plainWords, spelled } from "../../words";
import { Rings } from "./Rings";
import { byWhom, type Version } from "./versions";

type Props = {
  agent: string;
  versions: readonly Version[];
  proposals: readonly Schemas["ProposalShown"][];
  from: number;
  to: number;
  onOpen: (version: number) => void;
};

export function Timeline({ agent, versions, proposals, from, to, onOpen }: Props) {
  const rings = [
    ...versions.toReversed().map((each) => ({
      key: String(each.version),
      look: each.version === to ? ("to" as const) : each.version === from ? ("from" as const) : ("" as const),
    })),
    ...proposals.map((each) => ({ key: each.id, look: "waits" as const })),
  ];
  return (
    <section className="list timeline" aria-label="Versions">
      <div className="head">
        <Rings
          rings={rings}
          label={`${counted(versions.length, "version")}, ${counted(proposals.length, "proposal")}: one ring each, the oldest in the middle`}
        />
        <p className="soft">{summary(versions, proposals.length)}</p>
      </div>
      <ol>
        {proposals.map((each) => (
          <li key={each.id}>
            <Link className="v waits" to={place("review")} params={{ agent }} search={{ item: each.id }}>
              <span className="knot" />
              <span className="grow">
                <span className="words block">{plainWords(each.words[0] ?? each.reason)}</span>
                <Meta>
                  {moment(each.at)}
                  {`${author(each.author)} proposes`}
                </Meta>
              </span>
              <span className="more">
                Review <Icon name="right" size="s" />
              </span>
            </Link>
          </li>
        ))}
        {versions.map((each) => (
          <li key={each.version}>
            <button
              type="button"
              className={`v ${each.version === to ? "to" : each.version === from ? "from" : ""}`}
              aria-current={each.version === to ? "true" : undefined}
              onClick={() => onOpen(each.version)}
            >
              <span className="knot" />
              <span className="grow">
                <span className="words block">{each.title}</span>
                <Meta>
                  {moment(each.at)}
                  {byWhom(each)}
                </Meta>
              </span>
              <span className="more num">
                {each.more < 0 ? `−${-each.more}` : `+${each.more}`}
                <span className="hidden-text"> tokens</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function summary(versions: readonly Version[], waiting: number): string {
  const oldest = versions.at(-1);
  const days = oldest ? daysAgo(oldest.at) : 0;
  const time =
    days >= 60
      ? `${Math.round(days / 30)} months`
      : days >= 14
        ? `${spelled(Math.round(days / 7))} weeks`
        : days > 1
          ? `${spelled(days)} days`
          : "";
  const many = spelled(versions.length);
  const said = `${many.charAt(0).toUpperCase()}${many.slice(1)} ${versions.length === 1 ? "version" : "versions"}${time ? ` in ${time}` : ""}${versions.length > 1 ? ", the oldest in the middle" : ""}.`;
  if (!waiting) return said;
  return `${said} ${waiting === 1 ? "One more waits" : `${spelled(waiting).replace(/^./, (c) => c.toUpperCase())} more wait`} for you.`;
}
