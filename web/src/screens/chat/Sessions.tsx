/** The list of conversations: it opens below its button, on phones over the whole width. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Popover } from "radix-ui";
import { useState } from "react";
import { place } from "../../address";
import { me, sessions } from "../../api/queries";
import { Audience } from "../../parts/Audience";
import { Button } from "../../parts/Button";
import { Meta } from "../../parts/Meta";
import { Reading } from "../../parts/Reading";
import { counted, moment } from "../../words";
import { audienceOfSession, nameOfSession } from "./shown";

export function Sessions({ agent, chosen }: { agent: string; chosen: string }) {
  const [open, setOpen] = useState(false);
  const list = useQuery(sessions(agent));
  const self = useQuery(me()).data?.person;
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button look="quiet" icon="menu">
          Sessions
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="menu chat-sessions"
          align="end"
          sideOffset={6}
          collisionPadding={16}
          aria-label="Sessions"
        >
          <Link
            className="it fresh"
            to={place("chat")}
            params={{ agent }}
            search={{ session: "new" }}
            onClick={() => setOpen(false)}
          >
            New session
          </Link>
          <Reading of={list} what="Reading the sessions">
            {(data) =>
              data.sessions.map((each) => (
                <Link
                  key={each.session}
                  className="it"
                  aria-current={each.session === chosen ? "true" : undefined}
                  to={place("chat")}
                  params={{ agent }}
                  search={{ session: each.session }}
                  onClick={() => setOpen(false)}
                >
                  <span className="row">
                    <b className="grow truncate">{nameOfSession(each, self)}</b>
                    <Audience of={audienceOfSession(each, self)} />
                  </span>
                  <Meta>
                    {moment(each.last)}
                    {counted(each.messages, "message")}
                    {each.new ? `${each.new} not in memory yet` : null}
                  </Meta>
                </Link>
              ))
            }
          </Reading>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
