/** The icons, drawn on a grid of 16. They say nothing to a screen reader: words stand beside them. */
import type { CSSProperties, ReactNode } from "react";

const SHAPES = {
  home: <path d="M2.5 7.2 8 2.8l5.5 4.4v6H9.8V9.6H6.2v3.6H2.5z" />,
  chat: <path d="M2.5 3.5h11v7.6H7.6L4.8 13.4v-2.3H2.5z" />,
  review: <path d="M2.5 9.5h3l1 2h3l1-2h3M2.5 9.5v4h11v-4M4.6 5.4l2.4 2.3 4.4-4.6" />,
  memory: <path d="M2.5 4h2M2.5 8h2M2.5 12h2M7 4h6.5M7 8h6.5M7 12h4" />,
  files: <path d="M4 2.5h5l3 3v8H4zM9 2.5v3h3" />,
  days: <path d="M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5V5M10.5 2.5V5" />,
  soul: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <circle cx="7.6" cy="8.3" r="3.5" />
      <circle cx="7.3" cy="8.5" r="1.2" />
    </>
  ),
  skills: <path d="M8 2.5v3M8 10.5v3M2.5 8h3M10.5 8h3M8 6.4 9.6 8 8 9.6 6.4 8z" />,
  tools: <path d="M9.6 6.4 3 13M10 2.8a3.2 3.2 0 0 0 3.2 4.4L11 9.2 6.8 5z" />,
  context: <path d="M8 2.6 13.5 5.4 8 8.2 2.5 5.4zM2.5 8.2 8 11l5.5-2.8M2.5 10.9 8 13.7l5.5-2.8" />,
  keepers: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 4.8V8l2.2 1.6" />
    </>
  ),
  doctor: <path d="M2 8.4h3l1.6-4 2.6 7.4 1.6-3.4H14" />,
  settings: (
    <>
      <path d="M2.5 5h5.3M11 5h2.5M2.5 11H5M8.2 11h5.3" />
      <circle cx="9.4" cy="5" r="1.6" />
      <circle cx="6.6" cy="11" r="1.6" />
    </>
  ),
  lock: <path d="M3.5 7.2h9v6h-9zM5.3 7.2V5.4a2.7 2.7 0 0 1 5.4 0v1.8" />,
  room: (
    <>
      <circle cx="5.6" cy="5.6" r="2.1" />
      <circle cx="11" cy="6.2" r="1.7" />
      <path d="M1.8 13c.2-2.6 1.7-4 3.8-4s3.6 1.4 3.8 4M11 9.6c1.8 0 3 1.1 3.2 3.1" />
    </>
  ),
  person: (
    <>
      <circle cx="8" cy="5.4" r="2.5" />
      <path d="M3.2 13.5c.3-3 2.2-4.6 4.8-4.6s4.5 1.6 4.8 4.6" />
    </>
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="5.6" />
      <path d="M2.4 8h11.2M8 2.4c-4 3.6-4 7.6 0 11.2M8 2.4c4 3.6 4 7.6 0 11.2" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.2" />
      <path d="m10.2 10.2 3.3 3.3" />
    </>
  ),
  check: <path d="m3 8.6 3.2 3.2L13 4.6" />,
  x: <path d="m4 4 8 8M12 4l-8 8" />,
  pen: <path d="m3 13 .6-2.8 7.2-7.2 2.2 2.2-7.2 7.2z" />,
  undo: <path d="M3 6.5h6.6a3.4 3.4 0 0 1 0 6.8H6M5.8 3.5 3 6.5l2.8 3" />,
  alert: <path d="M8 2.8 14 13.2H2zM8 6.8v3M8 11.4v.1" />,
  split: <path d="M8 13.5V9M8 9 3.5 4.5M8 9l4.5-4.5M3.5 7.5v-3h3M12.5 7.5v-3h-3" />,
  plus: <path d="M8 3.5v9M3.5 8h9" />,
  down: <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  right: <path d="m6.5 4.5 3.5 3.5-3.5 3.5" />,
  updown: <path d="m5 6.2 3-3 3 3M5 9.8l3 3 3-3" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />,
  send: <path d="M8 13V3.5M4 7.5l4-4 4 4" />,
  quote: <path d="M3 10.5c2 0 3-1.3 3-3.5V5H3v3h2M9.5 10.5c2 0 3-1.3 3-3.5V5h-3v3h2" />,
  archive: <path d="M2.5 3.5h11v3h-11zM3.5 6.5v6.5h9V6.5M6.5 9h3" />,
  seal: (
    <>
      <circle cx="8" cy="8" r="5.6" />
      <path d="m5.6 8.2 1.7 1.7 3.2-3.5" />
    </>
  ),
  filter: <path d="M2.5 4h11M4.5 8h7M6.5 12h3" />,
  menu: <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  eyeoff: <path d="M2 8c1.6-2.7 3.6-4 6-4s4.4 1.3 6 4c-1.6 2.7-3.6 4-6 4s-4.4-1.3-6-4zM3 13 13 3" />,
  play: <path d="M5 3.5v9l7-4.5z" />,
  left: <path d="M9.5 4.5 6 8l3.5 3.5" />,
  back: <path d="M13 8H3.5M7 4 3 8l4 4" />,
  copy: <path d="M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1" />,
  link: <path d="M9 2.5h4.5V7M13.5 2.5 7.5 8.5M6.5 3.5h-4v10h10v-4" />,
  eye: (
    <>
      <path d="M2 8c1.6-2.7 3.6-4 6-4s4.4 1.3 6 4c-1.6 2.7-3.6 4-6 4s-4.4-1.3-6-4z" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  stop: <path d="M4 4h8v8H4z" />,
  info: (
    <>
      <circle cx="8" cy="8" r="5.6" />
      <path d="M8 7.4v3.4M8 5.2v.1" />
    </>
  ),
  sidebar: <path d="M2.5 3.5h11v9h-11zM6.5 3.5v9" />,
  inspector: <path d="M2.5 3.5h11v9h-11zM9.5 3.5v9" />,
  trash: <path d="M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9" />,
  flag: <path d="M4 13.5v-11h8l-2 3 2 3H4" />,
  task: <path d="M2.5 2.5h11v11h-11zM5 8.2l2 2 4-4.4" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof SHAPES;

type Props = { name: IconName; size?: "s" | "m" | "l"; className?: string; style?: CSSProperties };

export function Icon({ name, size = "m", className = "", style }: Props) {
  return (
    <svg
      className={`i ${size === "m" ? "" : size} ${className}`}
      style={style}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      {SHAPES[name]}
    </svg>
  );
}
