/** Chat. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Chat() {
  return (
    <>
      <TopBar title="Chat" />
      <div className="body">
        <div className="scroll">
          <Empty icon="chat" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
