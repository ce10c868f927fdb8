/** Settings. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Settings() {
  return (
    <>
      <TopBar title="Settings" />
      <div className="body">
        <div className="scroll">
          <Empty icon="settings" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
