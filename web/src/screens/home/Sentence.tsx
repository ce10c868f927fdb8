/** The one sentence of Home. Its words are links. */
import { Link } from "@tanstack/react-router";
import { place } from "../../address";
import { counted, spelled, times } from "../../words";

type Counts = { learnt: number; right: number; waiting: number };

type Props = { agent: string; name: string; counts?: Counts; more: boolean };

export function Sentence({ agent, name, counts, more }: Props) {
  if (!counts) return <h1 className="say">{name}</h1>;
  const { learnt, right, waiting } = counts;
  const said = [
    <span key="learnt">
      learnt{" "}
      {learnt ? (
        <Link to={place("memory")} params={{ agent }}>
          {more ? "at least " : ""}
          {things(learnt)}
        </Link>
      ) : (
        "nothing new"
      )}
    </span>,
    right > 0 && (
      <span key="right">
        was put right{" "}
        <Link to={place("memory")} params={{ agent }} search={{ tag: "correction" }}>
          {times(right)}
        </Link>
      </span>
    ),
    <span key="waiting">
      has{" "}
      {waiting ? (
        <Link to={place("review")} params={{ agent }}>
          {spelled(waiting)} {waiting === 1 ? "change" : "changes"}
        </Link>
      ) : (
        "nothing"
      )}{" "}
      waiting for you
    </span>,
  ].filter((each) => each !== false);
  return (
    <h1 className="say">
      This week {name}{" "}
      {said.map((part, i) => (
        <span key={part.key}>
          {i === 0 ? "" : i < said.length - 1 ? ", " : said.length > 2 ? ", and " : " and "}
          {part}
        </span>
      ))}
      .
    </h1>
  );
}

function things(n: number): string {
  return n <= 10 ? `${spelled(n)} ${n === 1 ? "thing" : "things"}` : counted(n, "thing");
}
