/** Why something is rejected: may be left empty. Enter rejects, Esc closes. */
import { useEffect, useRef, useState } from "react";
import { Button } from "../../parts/Button";
import { Field } from "../../parts/Field";

type Props = { deed?: string; busy: boolean; onReject: (why: string) => void; onClose: () => void };

export function Rejecting({ deed = "Reject", busy, onReject, onClose }: Props) {
  const [why, setWhy] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  return (
    <form
      ref={form}
      className="rejecting"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onReject(why.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="grow">
        <Field
          label="Why (you may leave it empty)"
          quiet
          placeholder="Why? You may leave it empty"
          value={why}
          maxLength={2000}
          onChange={(event) => setWhy(event.target.value)}
        />
      </div>
      <Button look="danger" icon="x" type="submit" disabled={busy}>
        {deed}
      </Button>
      <Button look="quiet" onClick={onClose}>
        Cancel
      </Button>
    </form>
  );
}
