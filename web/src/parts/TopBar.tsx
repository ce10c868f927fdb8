/** The top of a screen: title, who may see it, one fact; actions at the right. It also names the browser's tab. */
import { type ReactNode, useEffect } from "react";

type Props = {
  title: string;
  /** The title is the name of a file. */
  file?: boolean;
  /** Before the title, such as a way back on a phone. */
  before?: ReactNode;
  /** An audience and one fact. */
  fact?: ReactNode;
  children?: ReactNode;
};

export function TopBar({ title, file = false, before, fact, children }: Props) {
  useTitle(title);
  return (
    <header className="top">
      {before}
      <h1 className={file ? "file" : ""}>{title}</h1>
      {typeof fact === "string" ? <span className="truncate text-muted">{fact}</span> : fact}
      <div className="grow" />
      {children}
    </header>
  );
}

/** The name of the browser's tab, for screens without a top bar. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Oldsoul`;
  }, [title]);
}
