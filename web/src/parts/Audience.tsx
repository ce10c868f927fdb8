/** Who may see a text, as icon, word and colour. Takes the audience as the API writes it. */
import { audienceOf, type Reach } from "../words";
import { Icon, type IconName } from "./Icon";

const LOOKS: Record<Reach, { look: string; icon: IconName }> = {
  owner: { look: "private", icon: "lock" },
  person: { look: "private", icon: "person" },
  room: { look: "room", icon: "room" },
  public: { look: "public", icon: "globe" },
};

export function Audience({ of }: { of: string }) {
  const { reach, words } = audienceOf(of);
  const { look, icon } = LOOKS[reach];
  return (
    <span className={`aud ${look}`} title={words}>
      <Icon name={icon} size="s" />
      <span>
        <span className="hidden-text">Seen by: </span>
        {words}
      </span>
    </span>
  );
}
