/** What something is, in one coloured word: a proposal, a conflict, a failure. */
import type { ReactNode } from "react";
import { Icon, type IconName } from "./Icon";

type Props = { look: "proposal" | "conflict" | "danger" | "ok"; icon?: IconName; children?: ReactNode };

export function Kind({ look, icon, children }: Props) {
  return (
    <span className={`kind ${look}`}>
      {icon && <Icon name={icon} size={children ? "s" : "m"} />}
      {children}
    </span>
  );
}
