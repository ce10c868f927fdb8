/** The file changed while somebody typed: what stands now and yours side by side, to make one text of both. */
import { useState } from "react";
import { Button } from "../../parts/Button";
import { Diff } from "../../parts/Diff";
import { Icon } from "../../parts/Icon";
import { MergeView } from "../../parts/lazy";
import { Segmented } from "../../parts/Segmented";
import { counted } from "../../words";
import { type Draft, type Merging, put } from "./drafts";
import { whatWasDone } from "./merge";

type Start = "both" | "mine";

export function Merge({ draft, merging, news }: { draft: Draft; merging: Merging; news: string }) {
  const [isTold, setTold] = useState(false);
  const { standing, suggested, clashes } = merging;
  const [start, setStart] = useState<Start>(suggested === null ? "mine" : "both");
  const begin = (next: Start) => {
    setStart(next);
    const text = next === "both" && suggested !== null ? suggested : draft.text;
    put({ ...draft, merging: { ...merging, text } });
  };
  const change = (text: string) => put({ ...draft, merging: { ...merging, text } });
  return (
    <section className="merging" aria-label="Merge both texts">
      <div className="strip conflict" role="alert">
        <Icon name="split" />
        <span className="grow">
          <b className="strong">Not saved: the file changed while you were typing.</b>{" "}
          {news || `Somebody ${whatWasDone(draft.base.content, standing.content)}`}.{" "}
          {suggested === null
            ? "Both of you changed the same lines, so yours is as you typed it. Take over what you want from the left."
            : clashes.length
              ? `Both are together on the right; where you changed the same (${counted(clashes.length, "place")}), yours stands.`
              : "Both are together on the right. Look it over, then save."}
        </span>
      </div>
      <div className="bar">
        {suggested !== null && (
          <Segmented<Start>
            label="Begin with"
            value={start}
            choices={[
              { value: "both", label: "Both" },
              { value: "mine", label: "Mine" },
            ]}
            onChange={begin}
          />
        )}
        <span className="grow" />
        <Button size="small" look="quiet" aria-expanded={isTold} onClick={() => setTold(!isTold)}>
          What was written
        </Button>
        <Button size="small" look="quiet" onClick={() => put({ ...draft, merging: undefined })}>
          Back to my text
        </Button>
      </div>
      {isTold && (
        <div className="told">
          <Diff before={draft.base.content} after={standing.content} />
        </div>
      )}
      <div className="sides only-desk" aria-hidden="true">
        <span>In the file now</span>
        <span>What you will save</span>
      </div>
      <MergeView
        key={`${standing.etag} ${start}`}
        theirs={standing.content}
        mine={merging.text}
        onChange={change}
      />
    </section>
  );
}
