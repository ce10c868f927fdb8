/** How sure a memory is: a bar and two digits; what was put right is a green seal. */
import type { CSSProperties } from "react";
import { Icon } from "./Icon";

export function sureness(value: number): "sure" | "likely" | "unsure" | "fading" {
  return value >= 0.9 ? "sure" : value >= 0.7 ? "likely" : value >= 0.45 ? "unsure" : "fading";
}

/** `corrected`: the person put it right. */
export function Confidence({ of, corrected = of >= 1 }: { of: number; corrected?: boolean }) {
  if (corrected)
    return (
      <span className="conf corrected" title="You put this right">
        <Icon name="seal" />
        <span className="hidden-text">You put this right: </span>
        {of.toFixed(2)}
      </span>
    );
  const word = sureness(of);
  const bar = { "--v": of * 100, "--c": `var(--conf-${word})` } as CSSProperties;
  return (
    <span className="conf" title={word} style={bar}>
      <i aria-hidden="true" />
      <span className="hidden-text">{word}, </span>
      {of.toFixed(2)}
    </span>
  );
}
