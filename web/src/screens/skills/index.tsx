/** Skills. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Skills() {
  return (
    <>
      <TopBar title="Skills" />
      <div className="body">
        <div className="scroll">
          <Empty icon="skills" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
