/** Files. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Files() {
  return (
    <>
      <TopBar title="Files" />
      <div className="body">
        <div className="scroll">
          <Empty icon="files" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
