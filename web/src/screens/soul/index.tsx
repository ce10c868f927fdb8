/** Soul. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Soul() {
  return (
    <>
      <TopBar title="Soul" />
      <div className="body">
        <div className="scroll">
          <Empty icon="soul" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
