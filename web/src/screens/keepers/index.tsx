/** Keepers. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Keepers() {
  return (
    <>
      <TopBar title="Keepers" />
      <div className="body">
        <div className="scroll">
          <Empty icon="keepers" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
