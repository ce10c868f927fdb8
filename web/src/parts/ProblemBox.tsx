/** What went wrong, in place: what happened, what is safe, what to do. What was typed stays where it is. */
import type { ReactNode } from "react";
import { Problem } from "../api/problem";
import { Button } from "./Button";
import { Icon } from "./Icon";

type Props = {
  /** What happened: "Not saved." Without it: the kind of the error. */
  title?: string;
  /** The error itself; its text says why and what to do. */
  error?: unknown;
  /** What is safe: "Your text is still here." */
  safe?: ReactNode;
  onRetry?: () => void;
  /** More to do: buttons. */
  children?: ReactNode;
};

const TITLES: Record<number, string> = {
  0: "This did not work.",
  403: "This login may not do that.",
  404: "It does not exist.",
  409: "It has changed meanwhile.",
  410: "It is no longer kept.",
  429: "Too much at once.",
  507: "The disk is full.",
};

export function ProblemBox({ title, error, safe, onRetry, children }: Props) {
  const problem = error === undefined ? undefined : Problem.from(error);
  const head = problem?.isAway ? "The server does not answer." : TITLES[problem?.status ?? 0];
  const detail = problem?.isAway
    ? "Nothing is lost. Try again when it is back."
    : sentence(problem?.detail ?? "");
  return (
    <div role="alert">
      <div className="note danger">
        <Icon name="alert" />
        <span className="grow">
          <b className="strong block">{title ?? head ?? "The server could not do this."}</b>
          {detail} {safe}
        </span>
      </div>
      {(onRetry || children) && (
        <div className="row wrap mt-2">
          {onRetry && (
            <Button size="small" onClick={onRetry}>
              Try again
            </Button>
          )}
          {children}
        </div>
      )}
    </div>
  );
}

function sentence(text: string): string {
  if (!text) return "";
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!…]$/.test(text) ? "" : ".");
}
