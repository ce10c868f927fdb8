/** A screen that could not be shown, and an address that leads nowhere. */
import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { Problem } from "../api/problem";
import { Empty } from "../parts/Empty";
import { ProblemBox } from "../parts/ProblemBox";

export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (Problem.from(error).status === 401) return null; // the login screen lies over the page
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <div className="page">
      <ProblemBox error={error} safe="What is saved is safe." onRetry={retry} />
    </div>
  );
}

export function NotFound() {
  return (
    <Empty
      icon="search"
      title="There is nothing at this address"
      action={
        <Link to="/" className="link">
          Go to Home
        </Link>
      }
    >
      It may be an old link, or a word in it is misspelt.
    </Empty>
  );
}
