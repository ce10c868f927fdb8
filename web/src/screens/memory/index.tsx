/** Memory. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Memory() {
  return (
    <>
      <TopBar title="Memory" />
      <div className="body">
        <div className="scroll">
          <Empty icon="memory" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
