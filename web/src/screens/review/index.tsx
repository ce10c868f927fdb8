/** Review. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Review() {
  return (
    <>
      <TopBar title="Review" />
      <div className="body">
        <div className="scroll">
          <Empty icon="review" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
