/** Something that comes from below on a phone; focus goes into it, and back when it closes. */
import { Dialog } from "radix-ui";
import type { ReactNode } from "react";
import { Button } from "./Button";
import { useFocusBack } from "./focusBack";

type Props = { open: boolean; title: string; children: ReactNode; onClose: () => void };

export function Sheet({ open, title, children, onClose }: Props) {
  const giveBack = useFocusBack(open);
  return (
    <Dialog.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content className="sheet" onCloseAutoFocus={giveBack} aria-describedby={undefined}>
          <div className="row sticky top-0 bg-raised px-4 py-2">
            <Dialog.Title className="label grow">{title}</Dialog.Title>
            <Dialog.Close asChild>
              <Button look="quiet" icon="x" label="Close" />
            </Dialog.Close>
          </div>
          <div className="px-4 pb-5">{children}</div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
