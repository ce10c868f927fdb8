/** Lines over time. What it shows is also said in `label`; give a table beside it where numbers matter. */
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { theme } from "../../choices";
import { useStore } from "../../store";
import { shortDay } from "../../words";

const DAY = 86_400;

type Props = {
  label: string;
  /** Times in seconds since 1970. */
  times: number[];
  lines: { name: string; values: (number | null)[]; colour?: string; bars?: boolean }[];
  /** How a value is written on the axis. */
  written?: (value: number) => string;
  height?: number;
};

export default function Chart({ label, times, lines, written = String, height = 160 }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const chosen = useStore(theme);
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew when the theme is another
  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    let plot: UPlot | undefined;
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const draw = () => {
      plot?.destroy();
      const style = getComputedStyle(document.documentElement);
      const colour = (name: string) => style.getPropertyValue(name).trim();
      const font = `12px ${colour("--face-ui")}`;
      const axis = {
        stroke: colour("--text-3"),
        font,
        grid: { stroke: colour("--line"), width: 1 },
        ticks: { show: false },
      };
      const bars = lines.some((line) => line.bars);
      const step = times.length > 1 ? ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (times.length - 1) : DAY;
      plot = new UPlot(
        {
          width: parent.clientWidth,
          height,
          cursor: { drag: { x: false, y: false } },
          legend: { show: lines.length > 1 },
          // Bars stand on the ground, and the first and the last one are whole.
          scales: bars
            ? {
                x: { range: (_, from, to) => [from - step / 2, to + step / 2] },
                y: { range: (_, __, most) => [0, most * 1.1 || 1] },
              }
            : {},
          axes: [
            // Days alone are written as the page writes days.
            step >= DAY
              ? {
                  ...axis,
                  space: 72,
                  size: 28,
                  grid: { show: false },
                  incrs: [1, 2, 3, 7, 14, 30, 60, 90].map((days) => days * DAY),
                  values: (_, at) => at.map((second) => shortDay(new Date(second * 1000))),
                }
              : axis,
            { ...axis, size: 56, space: 32, values: (_, values) => values.map(written) },
          ],
          series: [
            {},
            ...lines.map((line, i) => ({
              label: line.name,
              stroke: colour(line.colour ?? `--slot-${Math.min(8, 3 + i * 3)}`),
              fill: line.bars ? colour(line.colour ?? `--slot-${Math.min(8, 3 + i * 3)}`) : undefined,
              width: line.bars ? 0 : 1.5,
              points: { show: false },
              paths: line.bars && UPlot.paths.bars ? UPlot.paths.bars({ size: [0.6, 24] }) : undefined,
            })),
          ],
        },
        [times, ...lines.map((line) => line.values)],
        parent,
      );
    };
    draw();
    dark.addEventListener("change", draw);
    const sized = new ResizeObserver(() => plot?.setSize({ width: parent.clientWidth, height }));
    sized.observe(parent);
    return () => {
      dark.removeEventListener("change", draw);
      sized.disconnect();
      plot?.destroy();
    };
  }, [times, lines, written, height, chosen]);
  return <div className="chart" ref={place} role="img" aria-label={label} />;
}
