/** Nothing is here yet: what comes here, when, and one action. */
import type { ReactNode } from "react";
import { Icon, type IconName } from "./Icon";

type Props = { icon: IconName; title: string; children?: ReactNode; action?: ReactNode };

export function Empty({ icon, title, children, action }: Props) {
  return (
    <div className="state">
      <Icon name={icon} size="l" />
      <p className="strong">{title}</p>
      {children && <p className="soft">{children}</p>}
      {action}
    </div>
  );
}
