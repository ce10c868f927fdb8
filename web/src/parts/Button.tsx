/** A button. One a screen is filled (`look="main"`): it is what the screen is for. */
import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "./Icon";
import { keyName } from "./keyNames";

type Props = Omit<ComponentProps<"button">, "children"> & {
  look?: "plain" | "main" | "quiet" | "danger";
  size?: "normal" | "small";
  icon?: IconName;
  /** The key that does the same, such as "A" or "mod+S"; it is only shown, `useKeys` makes it work. */
  keys?: string;
  /** With no children the label is for screen readers, and the button is as wide as its icon. */
  label?: string;
  children?: ReactNode;
};
const LOOKS = { plain: "", main: "main-act", quiet: "quiet", danger: "danger" };

export function Button({
  look = "plain",
  size = "normal",
  icon,
  keys,
  label,
  children,
  className = "",
  ...rest
}: Props) {
  const classes = `btn ${LOOKS[look]} ${size === "small" ? "small" : ""} ${children ? "" : "icon"} ${className}`;
  return (
    <button
      type="button"
      className={classes}
      aria-label={label}
      title={children ? undefined : label}
      {...rest}
    >
      {icon && <Icon name={icon} size={size === "small" && children ? "s" : "m"} />}
      {children}
      {keys && <kbd aria-hidden="true">{keyName(keys)}</kbd>}
    </button>
  );
}
