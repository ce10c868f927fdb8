/** The head of a view: which conversation it is, how many tokens it is told, what they cost, and in which slots. */
import { Icon } from "../../parts/Icon";
import { Select } from "../../parts/Select";
import { TokenBar } from "../../parts/TokenBar";
import { number, person, SLOT_NAMES } from "../../words";
import { roomOf, type View } from "./seeing";
import { ALONE, iconOf, nameOf, type Prompt, type Where } from "./views";

type Props = {
  label: string;
  view: View;
  prompt: Prompt | undefined;
  where: Where;
  /** On a phone one view is shown at a time. */
  shown: boolean;
  onShow: () => void;
  onChange: (view: View) => void;
};

export function Head({ label, view, prompt, where, shown, onShow, onChange }: Props) {
  const context = prompt?.context;
  const slots = (context?.slots ?? []).map((each) => ({ ...each, name: SLOT_NAMES[each.name] ?? each.name }));
  return (
    <section className={`hd ${shown ? "shown" : ""}`} aria-label={`${label}: ${nameOf(view, where.you)}`}>
      <button type="button" className="pick switch only-phone" aria-pressed={shown} onClick={onShow}>
        <Icon name={iconOf(view, where.you)} />
        {nameOf(view, where.you)}
      </button>
      <div className="picks">
        <Icon name={iconOf(view, where.you)} />
        <Select
          label={`${label}: where`}
          value={view.where}
          choices={[
            { value: "dm", label: "Private chat" },
            ...where.rooms.map((room) => ({ value: `room:${room}`, label: room })),
            ...(roomOf(view) && !where.rooms.includes(roomOf(view))
              ? [{ value: view.where, label: roomOf(view) }]
              : []),
            ...ALONE,
          ]}
          onChange={(value) =>
            onChange({ where: value, who: ALONE.some((a) => a.value === value) ? "" : view.who })
          }
        />
        {!ALONE.some((each) => each.value === view.where) && (
          <Select
            label={`${label}: ${roomOf(view) ? "who asks" : "with whom"}`}
            value={view.who === where.you ? "" : view.who}
            choices={[
              { value: "", label: roomOf(view) ? "you ask" : "with you" },
              ...where.others.map((id) => ({
                value: id,
                label: roomOf(view) ? `${person(id)} asks` : `with ${person(id)}`,
              })),
            ]}
            onChange={(who) => onChange({ ...view, who })}
          />
        )}
      </div>
      <p className="sum-of num">
        {context && (
          <>
            <b className="strong">{number(context.tokens)}</b>{" "}
            <span className="muted">of {number(context.budget)} tokens</span>
            {context.cost > 0 && <span className="muted cost">costs {money(context.cost)}</span>}
          </>
        )}
      </p>
      <div className="bar">{context && <TokenBar slots={slots} budget={context.budget} />}</div>
    </section>
  );
}

/** The settings know a price, not its currency. */
export function money(cost: number): string {
  return cost.toFixed(cost < 0.1 ? 4 : 2);
}
