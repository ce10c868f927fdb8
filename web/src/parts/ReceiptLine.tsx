/** A line that was used for a reply: its number if cited, words, place, and "Wrong?", which opens a form in place. */
import { type ReactNode, useState } from "react";
import { counted } from "../words";
import { Audience } from "./Audience";
import { Button } from "./Button";
import { Confidence } from "./Confidence";
import { Meta } from "./Meta";

type Props = {
  number?: number;
  words: string;
  place: string;
  confidence?: number | null;
  audience?: string;
  tokens?: number;
  /** The line that was asked for. */
  marked?: boolean;
  /** The form that "Wrong?" opens; without it there is no such button. */
  fix?: (close: () => void) => ReactNode;
};

export function ReceiptLine({
  number,
  words,
  place,
  confidence,
  audience,
  tokens,
  marked = false,
  fix,
}: Props) {
  const [fixing, setFixing] = useState(false);
  return (
    <li className="receipt" aria-current={marked ? "true" : undefined}>
      <span className="no">{number}</span>
      <p className="words">{words}</p>
      {fix ? (
        <Button look="quiet" size="small" aria-expanded={fixing} onClick={() => setFixing(!fixing)}>
          Wrong?
        </Button>
      ) : (
        <span />
      )}
      <Meta>
        <span className="file">{place}</span>
        {confidence == null ? null : <Confidence of={confidence} />}
        {audience ? <Audience of={audience} /> : null}
        {tokens === undefined ? null : counted(tokens, "token")}
      </Meta>
      {fixing && fix && <div className="fix">{fix(() => setFixing(false))}</div>}
    </li>
  );
}
