/** Search. */
import { Empty } from "../../parts/Empty";
import { TopBar } from "../../parts/TopBar";

export default function Search() {
  return (
    <>
      <TopBar title="Search" />
      <div className="body">
        <div className="scroll">
          <Empty icon="search" title="Nothing is here yet" />
        </div>
      </div>
    </>
  );
}
