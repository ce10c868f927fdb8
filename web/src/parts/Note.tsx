/** A sentence that stands out a little: a warning, news, something that is well. */
import type { ReactNode } from "react";
import { Icon, type IconName } from "./Icon";

type Look = "plain" | "conflict" | "danger" | "ok" | "proposal";
const ICONS: Record<Look, IconName> = {
  plain: "info",
  conflict: "alert",
  danger: "alert",
  ok: "check",
  proposal: "plus",
};

export function Note({
  look = "plain",
  icon,
  children,
}: {
  look?: Look;
  icon?: IconName;
  children: ReactNode;
}) {
  return (
    <div className={`note ${look}`}>
      <Icon name={icon ?? ICONS[look]} />
      <span className="grow">{children}</span>
    </div>
  );
}
