/** Asks before what cannot be undone. The button repeats what happens. */
import { AlertDialog } from "radix-ui";
import type { ReactNode } from "react";
import { Button } from "./Button";
import { useFocusBack } from "./focusBack";

type Props = {
  open: boolean;
  title: string;
  /** What it concerns and what happens: names the number of places. */
  children: ReactNode;
  /** What the button says: "Forget in 3 places". */
  deed: string;
  keep?: string;
  busy?: boolean;
  onDo: () => void;
  onClose: () => void;
};

export function Confirm({
  open,
  title,
  children,
  deed,
  keep = "Keep it",
  busy = false,
  onDo,
  onClose,
}: Props) {
  const giveBack = useFocusBack(open);
  return (
    <AlertDialog.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="scrim" />
        <AlertDialog.Content
          className="dialog grid gap-2 p-4"
          onCloseAutoFocus={giveBack}
          style={{ width: "min(420px, calc(100vw - 32px))" }}
        >
          <AlertDialog.Title className="strong">{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="soft grid gap-2">{children}</div>
          </AlertDialog.Description>
          <div className="row wrap mt-1">
            <Button look="danger" size="small" disabled={busy} onClick={onDo}>
              {deed}
            </Button>
            <AlertDialog.Cancel asChild>
              <Button look="quiet" size="small">
                {keep}
              </Button>
            </AlertDialog.Cancel>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
