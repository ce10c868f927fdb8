/** The heavy parts, loaded when they are first shown: Markdown, Editor, MergeView, Chart. */
import { type ComponentProps, lazy, Suspense } from "react";
import { Loading } from "./Loading";

const HeavyMarkdown = lazy(() => import("./heavy/Markdown"));
const HeavyEditor = lazy(() => import("./heavy/Editor"));
const HeavyMergeView = lazy(() => import("./heavy/MergeView"));
const HeavyChart = lazy(() => import("./heavy/Chart"));

export function Markdown(props: ComponentProps<typeof HeavyMarkdown>) {
  return (
    <Suspense fallback={<Loading what="Loading the preview" />}>
      <HeavyMarkdown {...props} />
    </Suspense>
  );
}

export function Editor(props: ComponentProps<typeof HeavyEditor>) {
  return (
    <Suspense fallback={<Loading what="Loading the editor" lines={6} />}>
      <HeavyEditor {...props} />
    </Suspense>
  );
}

export function MergeView(props: ComponentProps<typeof HeavyMergeView>) {
  return (
    <Suspense fallback={<Loading what="Loading the merge view" lines={6} />}>
      <HeavyMergeView {...props} />
    </Suspense>
  );
}

export function Chart(props: ComponentProps<typeof HeavyChart>) {
  return (
    <Suspense fallback={<Loading what="Loading the chart" />}>
      <HeavyChart {...props} />
    </Suspense>
  );
}
