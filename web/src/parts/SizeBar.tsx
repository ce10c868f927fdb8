/** How full a file is, with a tick at 80 %; past it amber. */
import type { CSSProperties } from "react";
import { bytes } from "../words";

export const NEARLY_FULL = 0.8;

export function SizeBar({ size, limit, title }: { size: number; limit: number; title?: string }) {
  const part = limit ? size / limit : 0;
  const colour = part > 1 ? "--danger" : part >= NEARLY_FULL ? "--conflict" : "--conf-likely";
  const look = { "--v": Math.min(100, part * 100), "--c": `var(${colour})` } as CSSProperties;
  return (
    <div className="size" title={title}>
      <i style={look} aria-hidden="true" />
      <span className="num">
        {bytes(size)} of {bytes(limit)}
      </span>
    </div>
  );
}
