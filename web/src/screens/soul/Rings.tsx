/** One ring a version, the oldest inside; what is proposed is dashed. It says what the list says. */
import { useMemo } from "react";

type Ring = { key: string; look: "" | "to" | "from" | "waits" };

const POINTS = 72;
const LARGEST = 68;
const SMALLEST = 9;
const MOST = 14;

/** A ring like that of a tree: almost round, each a little different. */
function path(radius: number, seed: number): string {
  const points = Array.from({ length: POINTS }, (_, i) => {
    const turn = (i / POINTS) * Math.PI * 2;
    const uneven = 1 + 0.035 * Math.sin(turn * 2 + seed * 1.7) + 0.025 * Math.sin(turn * 3 + seed * 2.9 + 1);
    const x = 80 - radius * 0.06 + Math.cos(turn) * radius * uneven;
    const y = 75 + Math.sin(turn) * radius * uneven * 0.96;
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}

export function Rings({ rings, label }: { rings: readonly Ring[]; label: string }) {
  // Many versions would be one grey disc: the oldest share the middle.
  const drawn = rings.slice(-MOST);
  const step = (LARGEST - SMALLEST) / Math.max(1, drawn.length - 1);
  const paths = useMemo(
    () =>
      Array.from({ length: drawn.length }, (_, i) => path(drawn.length < 2 ? 40 : SMALLEST + step * i, i)),
    [drawn.length, step],
  );
  return (
    <svg className="rings" viewBox="0 0 160 150" role="img" aria-label={label}>
      {drawn.map((ring, i) => (
        <path key={ring.key} className={ring.look} d={paths[i]} />
      ))}
    </svg>
  );
}
