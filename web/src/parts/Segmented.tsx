/** A choice of a few, all in sight: Edit, Split, Read. */
import { RadioGroup } from "radix-ui";
import type { ReactNode } from "react";

type Props<T extends string> = {
  label: string;
  value: T;
  choices: readonly { value: T; label: ReactNode }[];
  onChange: (value: T) => void;
};

export function Segmented<T extends string>({ label, value, choices, onChange }: Props<T>) {
  return (
    <RadioGroup.Root
      className="seg"
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={(next) => onChange(next as T)}
    >
      {choices.map((each) => (
        <RadioGroup.Item key={each.value} value={each.value}>
          {each.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
