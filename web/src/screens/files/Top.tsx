/** The top of a file: its name, who may see it, whether it is saved, how full it is; Reset and Save. */
import { useQuery } from "@tanstack/react-query";
import { DropdownMenu } from "radix-ui";
import { entries } from "../../api/queries";
import { Audience } from "../../parts/Audience";
import { Button } from "../../parts/Button";
import { useInspector } from "../../parts/Inspector";
import { SizeBar } from "../../parts/SizeBar";
import { TopBar } from "../../parts/TopBar";
import { save } from "./drafts";
import { audienceOfFile, fullness, hasTemplate } from "./kinds";
import type { Opened } from "./useFile";

type Props = {
  agent: string;
  path: string;
  file: Opened;
  editable: boolean;
  /** It is still as its template made it. */
  isDefault: boolean;
  phone: boolean;
  onBack: () => void;
  onReset: () => void;
};

export function Top({ agent, path, file, editable, isDefault, phone, onBack, onReset }: Props) {
  const [shown, show] = useInspector();
  const { draft, standing } = file;
  const canReset = editable && hasTemplate(path) && (!isDefault || draft !== undefined);
  const limit = file.base?.limit_bytes ?? 0;
  return (
    <TopBar
      title={path}
      file
      before={phone && <Button look="quiet" icon="back" label="All files" onClick={onBack} />}
      fact={
        <>
          <SeenBy agent={agent} path={path} />
          <State draft={draft} isReadOnly={standing !== undefined && !editable} />
        </>
      }
    >
      {editable && limit > 0 && (
        <div className="only-desk">
          <SizeBar size={file.size} limit={limit} title={fullness(path, file.size, limit)?.words} />
        </div>
      )}
      {editable && hasTemplate(path) && (
        <Button look="quiet" className="only-desk" disabled={!canReset} onClick={onReset}>
          Reset to default
        </Button>
      )}
      {!shown && (
        <Button
          look="quiet"
          icon="keepers"
          label="History"
          className="only-desk"
          onClick={() => show(true)}
        />
      )}
      {editable && (
        <Button
          look="main"
          keys="mod+S"
          disabled={!draft || draft.saving}
          onClick={() => void save(agent, path)}
        >
          {draft?.merging ? "Save merged" : "Save"}
        </Button>
      )}
      {phone && !draft?.merging && (
        <DropdownMenu.Root>
          <DropdownMenu.Trigger asChild>
            <Button look="quiet" icon="more" label="More" />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content className="menu" align="end" sideOffset={4}>
              <DropdownMenu.Item onSelect={() => show(true)}>History</DropdownMenu.Item>
              {canReset && <DropdownMenu.Item onSelect={onReset}>Reset to default</DropdownMenu.Item>}
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
    </TopBar>
  );
}

function State({ draft, isReadOnly }: { draft: Opened["draft"]; isReadOnly: boolean }) {
  const words = draft?.saving ? "Saving" : draft ? "Not saved" : isReadOnly ? "Read only" : "";
  return (
    <span className="row muted whitespace-nowrap" role="status">
      {draft && <span className="unsaved" aria-hidden="true" />}
      <span className={draft && !draft.saving ? "state-words" : ""}>{words}</span>
    </span>
  );
}

/** Who may see the file. A log belongs to those whose entries are in it. */
function SeenBy({ agent, path }: { agent: string; path: string }) {
  const whole = audienceOfFile(path);
  const inside = useQuery({ ...entries(agent, { path, limit: 100 }), enabled: !whole });
  if (whole) return <Audience of={whole} />;
  const found = new Set(
    inside.data?.entries.filter((each) => each.path === path).map((each) => each.audience),
  );
  return [...found].sort().map((each) => <Audience key={each} of={each} />);
}
