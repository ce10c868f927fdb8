/** What waits for the person: the first proposals and conflicts, each a link to Review. */
import { Link } from "@tanstack/react-router";
import { place } from "../../address";
import { Empty } from "../../parts/Empty";
import { Icon } from "../../parts/Icon";
import { Kind } from "../../parts/Kind";
import { Loading } from "../../parts/Loading";
import { Meta } from "../../parts/Meta";
import { Panel } from "../../parts/Panel";
import { ProblemBox } from "../../parts/ProblemBox";
import { useWaiting } from "../../shell/waiting";
import { author, counted, moment, shortDay } from "../../words";
import { KINDS, type Row, rowsOf, whoSaid } from "../review/rows";

const MOST = 3;
/** What an agent is comes first, then what it cannot know without you, then the rest. */
const ORDER: readonly string[] = ["soul", "conflict"];
const rank = ({ kind }: Row) => (ORDER.indexOf(kind) + ORDER.length + 1) % (ORDER.length + 1);

/** How many messages a proposal rests on. */
const cited = ({ proposal }: Row) =>
  proposal?.evidence.filter((each) => each.ref.startsWith("m:")).length ?? 0;

export function Waits({ agent }: { agent: string }) {
  const { proposals, conflicts, count, isReady, error } = useWaiting(agent);
  const ordered = rowsOf(proposals, conflicts).sort((a, b) => rank(a) - rank(b));
  const rows = ordered.map((row) => (
    <Link key={row.id} className="wait" to={place("review")} params={{ agent }} search={{ item: row.id }}>
      <Kind look={KINDS[row.kind].look} icon={KINDS[row.kind].icon} />
      <div className="min-w-0">
        <p className="words">{row.words}</p>
        <Meta>
          <Kind look={KINDS[row.kind].look}>{KINDS[row.kind].label}</Kind>
          {cited(row) ? `${counted(cited(row), "message")} as evidence` : null}
          {row.proposal && `${author(row.proposal.author)}, ${moment(row.at)}`}
          {row.conflict?.sides
            .map((side) => [whoSaid(side), side.seen ? shortDay(side.seen) : ""])
            .map((said) => said.filter(Boolean).join(", "))}
        </Meta>
      </div>
      <Icon name="right" />
    </Link>
  ));
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
