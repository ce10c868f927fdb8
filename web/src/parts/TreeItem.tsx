/** Something in a tree beside the content, and the groups it stands in. Put them into `<nav className="tree">`. */
import { type ReactNode, useState } from "react";
import { Icon, type IconName } from "./Icon";

type Props = {
  icon: IconName;
  name: ReactNode;
  chosen?: boolean;
  /** It has changes that are not saved. */
  unsaved?: boolean;
  /** Said at the end: a count, or the pen of what can be edited. */
  end?: ReactNode;
  title?: string;
  onOpen: () => void;
};

export function TreeItem({ icon, name, chosen = false, unsaved = false, end, title, onOpen }: Props) {
  return (
    <button
      type="button"
      className="leaf"
      aria-current={chosen ? "page" : undefined}
      title={title}
      onClick={onOpen}
    >
      <Icon name={icon} />
      <span className="truncate">{name}</span>
      <span className="end">
        {unsaved ? (
          <span className="unsaved" title="not saved">
            <span className="hidden-text">not saved</span>
          </span>
        ) : (
          end
        )}
      </span>
    </button>
  );
}

type GroupProps = { name: string; aside?: ReactNode; open?: boolean; children: ReactNode };

export function TreeGroup({ name, aside, open = true, children }: GroupProps) {
  const [opened, setOpened] = useState(open);
  return (
    <section>
      <button type="button" className="grp" aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <Icon name={opened ? "down" : "right"} size="s" />
        {name}
        <span className="grow" />
        {aside}
      </button>
      {opened && children}
    </section>
  );
}
