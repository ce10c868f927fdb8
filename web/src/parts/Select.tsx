/** A choice of several. It is the browser's own list, so that it works on phones and by keyboard. */
import { type ReactNode, useId } from "react";
import { Icon } from "./Icon";

type Props = {
  label: string;
  value: string;
  choices: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
  /** The label is shown beside it, not only read out. */
  shown?: boolean;
  before?: ReactNode;
};

export function Select({ label, value, choices, onChange, shown = false, before }: Props) {
  const id = useId();
  return (
    <span className="row min-w-0">
      <label htmlFor={id} className={shown ? "text-12 text-soft" : "hidden-text"}>
        {label}
      </label>
      {before}
      <span className="pick-wrap">
        <select id={id} className="pick" value={value} onChange={(event) => onChange(event.target.value)}>
          {choices.map((each) => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </select>
        <Icon name="down" size="s" />
      </span>
    </span>
  );
}
