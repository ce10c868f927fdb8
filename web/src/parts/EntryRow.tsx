/** A memory in a list: its words, where they come from, how sure they are, who may see them. */
import type { ReactNode } from "react";
import type { Schemas } from "../api/client";
import { counted, nearDay, origin, saidBy } from "../words";
import { Audience } from "./Audience";
import { Confidence } from "./Confidence";
import { Meta } from "./Meta";

type Props = {
  entry: Schemas["EntryShown"];
  /** Other facts for the line below the words; without it: who said it, how often, when it was learnt. */
  facts?: ReactNode;
  chosen?: boolean;
  /** With it the row is a button. */
  onOpen?: () => void;
};

export function EntryRow({ entry, facts, chosen = false, onOpen }: Props) {
  const corrected = entry.tag === "correction";
  const { who, words } = saidBy(entry);
  const said = corrected
    ? "You put it right"
    : entry.origin === "operator"
      ? "You"
      : who || origin(entry.origin);
  const often = entry.mentions > 1 ? `, ${counted(entry.mentions, "time")}` : "";
  const when = entry.added ?? entry.seen;
  const inside = (
    <>
      <p className="words">{words}</p>
      <Meta>
        {facts ?? (
          <span>
            {said}
            {often}
          </span>
        )}
        {facts ? null : when ? nearDay(when) : null}
        {entry.superseded ? "replaced, kept in history" : null}
      </Meta>
      <div className="right">
        <Confidence of={entry.confidence} corrected={corrected} />
        <Audience of={entry.audience} />
      </div>
    </>
  );
  const classes = `entry ${entry.superseded ? "old" : ""} ${chosen ? "chosen" : ""}`;
  if (!onOpen) return <div className={classes}>{inside}</div>;
  return (
    <button type="button" className={classes} aria-pressed={chosen} onClick={onOpen}>
      {inside}
    </button>
  );
}
