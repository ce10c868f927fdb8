/** Shows what a query reads: shapes while it loads, the problem in place, then its data. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loading } from "./Loading";
import { ProblemBox } from "./ProblemBox";

type Props<T> = { of: UseQueryResult<T>; what?: string; lines?: number; children: (data: T) => ReactNode };

export function Reading<T>({ of, what, lines, children }: Props<T>) {
  if (of.data !== undefined) return children(of.data);
  if (of.isError)
    return (
      <div className="p-4">
        <ProblemBox error={of.error} onRetry={() => void of.refetch()} />
      </div>
    );
  return <Loading what={what} lines={lines} />;
}
