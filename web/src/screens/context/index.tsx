/** Context. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Context() {
  return (
    <>
      <TopBar title="Context" />
      <div className="body">
        <div className="scroll">
          <Empty icon="context" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
