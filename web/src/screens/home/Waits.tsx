/** What waits for the person: the first proposals and conflicts, each a link to Review. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { place } from "../../address";
import type { Schemas } from "../../api/client";
import { Empty } from "../../parts/Empty";
import { Icon, type IconName } from "../../parts/Icon";
import { Kind } from "../../parts/Kind";
import { Loading } from "../../parts/Loading";
import { Meta } from "../../parts/Meta";
import { Panel } from "../../parts/Panel";
import { ProblemBox } from "../../parts/ProblemBox";
import { useWaiting } from "../../shell/waiting";
import { author, counted, moment, origin, plainWords, saidBy, shortDay } from "../../words";

const MOST = 4;

/** What a proposal is about, by the files it would change. */
function aboutOf(proposal: Schemas["ProposalShown"]): { icon: IconName; words: string } {
  if (proposal.files.includes("SOUL.md")) return { icon: "soul", words: "Soul" };
  if (proposal.files.includes("USER.md")) return { icon: "person", words: "Profile" };
  if (proposal.files.includes("MEMORY.md")) return { icon: "plus", words: "Memory" };
  return { icon: "files", words: proposal.files[0] ?? "Files" };
}

function whoSaid(side: Schemas["Side"]): string {
  if (side.origin === "operator") return "You";
  return saidBy(side).who || (side.origin ? origin(side.origin) : "");
}

/** "Is it … or …?": what the two sides say. */
function bothSides(of: Schemas["ConflictShown"]): string {
  const said = of.sides.map((side) => saidBy(side).words.replace(/[.\s]+$/, ""));
  return said.length ? `${said.join(", or ")}?` : of.why;
}

export function Waits({ agent }: { agent: string }) {
  const { proposals, conflicts, count, isReady, error } = useWaiting(agent);
  const rows: ReactNode[] = [
    ...proposals.map((each) => {
      const { icon, words } = aboutOf(each);
      return (
        <Row
          key={each.id}
          agent={agent}
          item={each.id}
          icon={icon}
          look="proposal"
          words={plainWords(each.words[0] ?? each.reason)}
        >
          <Meta>
            <Kind look="proposal">{words}</Kind>
            {each.evidence.length ? `${counted(each.evidence.length, "message")} as evidence` : null}
            {`${author(each.author)}, ${moment(each.at)}`}
          </Meta>
        </Row>
      );
    }),
    ...conflicts.map((each) => (
      <Row
        key={each.conflict}
        agent={agent}
        item={each.conflict}
        icon="split"
        look="conflict"
        words={bothSides(each)}
      >
        <Meta>
          <Kind look="conflict">Conflict</Kind>
          {each.sides
            .map((side) => [whoSaid(side), side.seen ? shortDay(side.seen) : ""])
            .map((said) => said.filter(Boolean).join(", "))}
        </Meta>
      </Row>
    )),
  ];
  return (
    <Panel
      title="Waits for you"
      count={isReady ? count || undefined : undefined}
      aside={
        count > 0 && (
          <Link className="link row" to={place("review")} params={{ agent }}>
            Review all <kbd>G R</kbd>
          </Link>
        )
      }
    >
      {error ? (
        <div className="p-4">
          <ProblemBox error={error} />
        </div>
      ) : !isReady ? (
        <Loading what="Reading what waits" />
      ) : rows.length ? (
        rows.slice(0, MOST)
      ) : (
        <Empty icon="review" title="Nothing waits for you">
          Keepers ask here before they change the soul, your profile, or what you said.
        </Empty>
      )}
    </Panel>
  );
}

type RowProps = {
  agent: string;
  item: string;
  icon: IconName;
  look: "proposal" | "conflict";
  words: string;
  children: ReactNode;
};

function Row({ agent, item, icon, look, words, children }: RowProps) {
  return (
    <Link className="wait" to={place("review")} params={{ agent }} search={{ item }}>
      <Kind look={look} icon={icon} />
      <div className="min-w-0">
        <p className="words">{words}</p>
        {children}
      </div>
      <Icon name="right" />
    </Link>
  );
}
