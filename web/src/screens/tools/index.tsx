/** Tools. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Tools() {
  return (
    <>
      <TopBar title="Tools" />
      <div className="body">
        <div className="scroll">
          <Empty icon="tools" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
