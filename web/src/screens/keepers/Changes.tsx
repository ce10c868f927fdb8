/** What a keeper changed lately, each with its files and its difference. */
import { infiniteQueryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { place } from "../../address";
import { api, read, type Schemas } from "../../api/client";
import { change } from "../../api/queries";
import { Button } from "../../parts/Button";
import { Diff } from "../../parts/Diff";
import { Empty } from "../../parts/Empty";
import { Meta } from "../../parts/Meta";
import { Panel } from "../../parts/Panel";
import { Reading } from "../../parts/Reading";
import { counted, moment } from "../../words";
import { inWords } from "./words";

const PAGE = 400;
const FILES = 3;

const pages = (name: string) =>
  infiniteQueryOptions({
    queryKey: ["changes", name, "by keepers"],
    queryFn: ({ pageParam }) =>
      read(
        api.GET("/api/agents/{name}/changes", {
          params: { path: { name }, query: { limit: PAGE, cursor: pageParam } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
  });

export function Changes({ agent, keeper }: { agent: string; keeper: string }) {
  const query = useInfiniteQuery(pages(agent));
  const [most, setMost] = useState(6);
  const all = (query.data?.pages ?? []).flatMap((page) => page.changes);
  const mine = all.filter((each) => each.author === `keeper:${keeper}`);
  const more = mine.length > most || query.hasNextPage;
  const showMore = () => {
    setMost(most + 12);
    if (mine.length < most + 12 && query.hasNextPage) void query.fetchNextPage();
  };
  return (
    <Panel title="What it changed" count={mine.length || undefined}>
      <Reading of={query} what="Reading what it changed" lines={3}>
        {() =>
          mine.length ? (
            <ol className="runs">
              {mine.slice(0, most).map((each) => (
                <One key={each.change} agent={agent} of={each} />
              ))}
            </ol>
          ) : (
            <Empty icon="files" title="It has not changed anything lately">
              Each change of {keeper} appears here, with its difference.
            </Empty>
          )
        }
      </Reading>
      {query.data && more && (
        <div className="border-t border-line p-2">
          <Button look="quiet" size="small" disabled={query.isFetchingNextPage} onClick={showMore}>
            {mine.length > most ? "More" : "Look further back"}
          </Button>
        </div>
      )}
    </Panel>
  );
}

function One({ agent, of }: { agent: string; of: Schemas["ChangeShown"] }) {
  const [open, setOpen] = useState(false);
  const others = of.files.length - FILES;
  return (
    <li>
      <div className="row items-baseline">
        <button
          type="button"
          className="link grow text-left"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {inWords(of.reason)}
        </button>
        <time className="num muted text-12" dateTime={of.at}>
          {moment(of.at)}
        </time>
      </div>
      <Meta>
        {of.files.slice(0, FILES).map((file) => (
          <Link
            key={file.path}
            className="file"
            to={place("files")}
            params={{ agent }}
            search={{ file: file.path }}
          >
            {file.path}
          </Link>
        ))}
        {others > 0 ? `and ${counted(others, "other file")}` : null}
      </Meta>
      {open && <Difference agent={agent} number={of.change} />}
    </li>
  );
}

function Difference({ agent, number }: { agent: string; number: number }) {
  const query = useQuery(change(agent, number));
  return (
    <Reading of={query} what="Reading the difference">
      {({ diffs }) => (
        <div className="grid gap-3 pt-2">
          {diffs.map((each) => (
            <Diff key={each.path} diff={each.diff} path={each.path} />
          ))}
        </div>
      )}
    </Reading>
  );
}
