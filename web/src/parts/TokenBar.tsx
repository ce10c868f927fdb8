/** How a budget of tokens is spent, slot by slot: the more important, the stronger. `Swatch` is for its legend. */
import type { CSSProperties } from "react";
import { counted, number } from "../words";

export type Spent = { slot: number; name: string; tokens: number };

export function TokenBar({ slots, budget, only }: { slots: Spent[]; budget: number; only?: number }) {
  const used = slots.reduce((sum, each) => sum + each.tokens, 0);
  const parts = slots.filter((each) => each.tokens > 0);
  const label = `${number(used)} of ${counted(budget, "token")}: ${parts.map((each) => `${each.name} ${number(each.tokens)}`).join(", ")}`;
  return (
    <div className="tokens" role="img" aria-label={label}>
      {parts.map((each) => (
        <i
          key={each.slot}
          className={only === undefined || only === each.slot ? "" : "dim"}
          title={`${each.name}: ${number(each.tokens)}`}
          style={{ "--v": each.tokens, "--b": `var(--slot-${each.slot})` } as CSSProperties}
        />
      ))}
      {budget > used && <i className="free" style={{ "--v": budget - used } as CSSProperties} />}
    </div>
  );
}

export function Swatch({ slot, faint = false }: { slot: number; faint?: boolean }) {
  const look = { "--b": `var(--slot-${slot})`, opacity: faint ? 0.35 : 1 } as CSSProperties;
  return <span className="swatch" style={look} aria-hidden="true" />;
}
