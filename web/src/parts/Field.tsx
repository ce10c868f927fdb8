/** A line to type in, with its label; `TextField` for several lines. */
import { type ComponentProps, type ReactNode, useId } from "react";
import { Icon, type IconName } from "./Icon";

type Shared = {
  label: string;
  /** The label is read out, not shown. */
  quiet?: boolean;
  /** What to type, in a sentence. */
  hint?: ReactNode;
  /** What is wrong with it. */
  bad?: string;
};

function Frame({ id, label, quiet, hint, bad, children }: Shared & { id: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-1">
      <label htmlFor={id} className={quiet ? "hidden-text" : "text-12 font-medium text-soft"}>
        {label}
      </label>
      {children}
      {(bad || hint) && (
        <p id={`${id}-hint`} className={`text-12 ${bad ? "text-danger" : "text-muted"}`}>
          {bad || hint}
        </p>
      )}
    </div>
  );
}

type Props = Shared & { icon?: IconName; end?: ReactNode } & ComponentProps<"input">;

export function Field({ label, quiet, hint, bad, icon, end, ...rest }: Props) {
  const id = useId();
  return (
    <Frame id={id} label={label} quiet={quiet} hint={hint} bad={bad}>
      <div className={`field ${bad ? "bad" : ""}`}>
        {icon && <Icon name={icon} />}
        <input
          id={id}
          aria-invalid={bad ? true : undefined}
          aria-describedby={bad || hint ? `${id}-hint` : undefined}
          autoComplete="off"
          {...rest}
        />
        {end}
      </div>
    </Frame>
  );
}

export function TextField({ label, quiet, hint, bad, ...rest }: Shared & ComponentProps<"textarea">) {
  const id = useId();
  return (
    <Frame id={id} label={label} quiet={quiet} hint={hint} bad={bad}>
      <div className={`field ${bad ? "bad" : ""}`}>
        <textarea
          id={id}
          rows={3}
          aria-invalid={bad ? true : undefined}
          aria-describedby={bad || hint ? `${id}-hint` : undefined}
          {...rest}
        />
      </div>
    </Frame>
  );
}
