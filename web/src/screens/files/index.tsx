/** Files: the tree of the workspace, and one file with its editor, its preview and its history. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { type Search, useAgent, useParam } from "../../address";
import { me } from "../../api/queries";
import { TopBar } from "../../parts/TopBar";
import { useKeys } from "../../shell/keys";
import { save } from "./drafts";
import { Guard } from "./Guard";
import { History } from "./History";
import { isEditable } from "./kinds";
import { allFiles } from "./reading";
import { Top } from "./Top";
import { Tree } from "./Tree";
import { useFile } from "./useFile";
import { usePhone } from "./usePhone";
import { Work } from "./Work";
import "./files.css";

const FIRST = "MEMORY.md";

export default function Files() {
  const agent = useAgent();
  const phone = usePhone();
  const [asked] = useParam("file");
  const [words, setWords] = useParam("q");
  const navigate = useNavigate();
  const listed = useQuery(allFiles(agent)).data;
  const role = useQuery(me()).data?.role;
  // A phone has one pane: first the tree, then the file.
  const has = !listed || listed.some((each) => each.filename === FIRST);
  const path = asked || (phone ? "" : has ? FIRST : (listed?.[0]?.filename ?? FIRST));
  const open = useCallback(
    (file: string) =>
      void navigate({
        to: ".",
        search: ((old: Search) => ({
          file: file || undefined,
          view: old.view,
          tab: old.tab,
          q: old.q,
        })) as never,
      }),
    [navigate],
  );
  const file = useFile(agent, path);
  const about = listed?.find((each) => each.filename === path);
  const mayWrite = (role ?? "operator") === "operator" && about?.kind !== "shared";
  const editable = isEditable(path) && mayWrite && (file.standing?.is_text ?? true);
  const [asking, setAsking] = useState("");
  const isSaved = !file.draft;
  useKeys([{ keys: "mod+s", does: "Save", run: () => void (isSaved || save(agent, path)) }]);

  return (
    <div className={`files ${path ? "has-file" : ""}`}>
      {path ? (
        <Top
          agent={agent}
          path={path}
          file={file}
          editable={editable}
          isDefault={about?.state === "as seeded"}
          phone={phone}
          onBack={() => open("")}
          onReset={() => setAsking(path)}
        />
      ) : (
        <TopBar title="Files" />
      )}
      <div className="body">
        {(!phone || !path) && (
          <Tree agent={agent} chosen={path} words={words} onWords={setWords} onOpen={open} />
        )}
        {path && (
          <Work
            agent={agent}
            path={path}
            file={file}
            editable={editable}
            mayWrite={mayWrite}
            phone={phone}
            isAsking={asking === path}
            onAsked={() => setAsking("")}
            guard={<Guard onOpen={open} />}
            onOpen={open}
          />
        )}
        {path && <History key={path} agent={agent} path={path} file={file} mayWrite={mayWrite} />}
      </div>
    </div>
  );
}
