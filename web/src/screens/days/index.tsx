/** Days. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Days() {
  return (
    <>
      <TopBar title="Days" />
      <div className="body">
        <div className="scroll">
          <Empty icon="days" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
