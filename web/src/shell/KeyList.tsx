/** All keys that work here, shown by `?`; letters can be switched off. */
import { Dialog } from "radix-ui";
import { letterKeys } from "../choices";
import { Button } from "../parts/Button";
import { useFocusBack } from "../parts/focusBack";
import { keyName } from "../parts/keyNames";
import { useStore } from "../store";
import { active } from "./keys";

export function KeyList({ open, onClose }: { open: boolean; onClose: () => void }) {
  const all = useStore(active).flat();
  const letters = useStore(letterKeys);
  const shown = [...new Map(all.map((each) => [each.keys, each])).values()];
  const giveBack = useFocusBack(open);
  return (
    <Dialog.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content className="dialog p-4" onCloseAutoFocus={giveBack} aria-describedby={undefined}>
          <div className="row mb-3">
            <Dialog.Title className="strong grow">Keys</Dialog.Title>
            <Dialog.Close asChild>
              <Button look="quiet" icon="x" label="Close" />
            </Dialog.Close>
          </div>
          <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
            {shown.map((each) => (
              <div key={each.keys} className="flex items-baseline gap-2">
                <dt className="w-20 flex-none">
                  {each.keys.split(" ").map((key) => (
                    <kbd key={key} className="mr-1">
                      {keyName(key)}
                    </kbd>
                  ))}
                </dt>
                <dd className="text-soft">{each.does}</dd>
              </div>
            ))}
          </dl>
          <label className="row mt-4 border-t border-line pt-3">
            <input
              type="checkbox"
              className="check"
              checked={letters}
              onChange={(event) => letterKeys.set(event.target.checked)}
            />
            Single letters are keys (they rest while you type)
          </label>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
