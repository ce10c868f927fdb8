/** Doctor. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Doctor() {
  return (
    <>
      <TopBar title="Doctor" />
      <div className="body">
        <div className="scroll">
          <Empty icon="doctor" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
