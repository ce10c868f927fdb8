/** A panel with a head. Panels never stand in panels. */
import { type ReactNode, useId } from "react";

type Props = {
  title: string;
  /** A number beside the title. */
  count?: ReactNode;
  /** At the end of the head: a link or a button. */
  aside?: ReactNode;
  look?: "plain" | "danger";
  className?: string;
  children: ReactNode;
};

export function Panel({ title, count, aside, look = "plain", className = "", children }: Props) {
  const id = useId();
  return (
    <section className={`panel ${look === "danger" ? "danger" : ""} ${className}`} aria-labelledby={id}>
      <div className="head">
        <h2 className="label grow" id={id}>
          {title} {count !== undefined && <span className="n">{count}</span>}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
