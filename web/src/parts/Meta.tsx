/** The line below some words: short facts with dots between them. What is empty is left out. */
import { Children, type ReactNode } from "react";

export function Meta({ children, className = "" }: { children: ReactNode; className?: string }) {
  const facts = Children.toArray(children).filter((each) => each !== "");
  return (
    <div className={`meta dots ${className}`}>
      {facts.map((fact, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the facts of a line keep their places
        <span key={i}>{fact}</span>
      ))}
    </div>
  );
}
