/** Tries the embedder and the language model with a short text: whether they answer, how fast, and what they say. */
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, read, type Schemas } from "../../api/client";
import { Button } from "../../parts/Button";
import { Icon, type IconName } from "../../parts/Icon";
import { Panel } from "../../parts/Panel";
import { ProblemBox } from "../../parts/ProblemBox";
import { duration } from "../../words";

type Tried = Schemas["TriedShown"];
const ABOUT = {
  embedder: {
    name: "Embedder",
    does: "turns texts into vectors, for search by meaning",
    setting: "memory.search.provider",
  },
  model: { name: "Language model", does: "is asked by the keepers", setting: "keepers.model" },
} as const;
const STATES: Record<Tried["state"], { icon: IconName; look: string; words: string }> = {
  works: { icon: "check", look: "ok", words: "Works" },
  failed: { icon: "alert", look: "danger", words: "Does not answer" },
  off: { icon: "info", look: "", words: "Not set up" },
};

export function Services() {
  const trial = useMutation({ mutationFn: () => read(api.POST("/api/health/try")) });
  return (
    <Panel
      title="Embedder and model"
      aside={
        <Button size="small" icon="play" disabled={trial.isPending} onClick={() => trial.mutate()}>
          {trial.isPending ? "Trying" : "Try now"}
        </Button>
      }
    >
      {trial.isError && (
        <div className="p-4">
          <ProblemBox title="They could not be tried." error={trial.error} />
        </div>
      )}
      <ul aria-live="polite">
        {(["embedder", "model"] as const).map((about) => (
          <One key={about} about={about} tried={trial.data?.tried.find((each) => each.about === about)} />
        ))}
      </ul>
    </Panel>
  );
}

function One({ about, tried }: { about: keyof typeof ABOUT; tried?: Tried }) {
  const { name, does, setting } = ABOUT[about];
  const state = tried && STATES[tried.state];
  return (
    <li className="finding">
      <span className={`kind ${state?.look ?? ""}`}>
        <Icon name={state?.icon ?? "info"} />
      </span>
      <div className="min-w-0">
        <p className="facts">
          <b className="strong">{name}</b>{" "}
          <span className="soft">
            {state
              ? `${state.words}${tried.seconds ? `, after ${duration(tried.seconds)}` : ""}: ${tried.message}`
              : does}
          </span>
        </p>
        {tried && tried.state !== "works" && (
          <p className="advice">
            <Link className="link" to="/settings" search={{ q: setting }}>
              Settings of the {name.toLowerCase()}
            </Link>
          </p>
        )}
      </div>
    </li>
  );
}
