/** The still shapes of what comes: nothing for 200 ms, a sentence after 2 s. */
import { useEffect, useState } from "react";

const SHAPES = ["78%", "42%", "64%", "36%", "70%", "48%"];

export function Loading({ what = "Reading", lines = 2 }: { what?: string; lines?: number }) {
  const [stage, setStage] = useState(0);
  useEffect(() => {
    const timers = [window.setTimeout(() => setStage(1), 200), window.setTimeout(() => setStage(2), 2000)];
    return () => timers.forEach(window.clearTimeout);
  }, []);
  if (!stage) return <div aria-busy="true" className="min-h-24" />;
  return (
    <div aria-busy="true" className="grid content-start gap-[10px] p-4">
      {Array.from({ length: lines }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: shapes without an identity
        <div key={i} className="grid gap-[10px] pb-2" aria-hidden="true">
          <span className="shape" style={{ width: SHAPES[(i * 2) % 6] }} />
          <span className="shape" style={{ width: SHAPES[(i * 2 + 1) % 6], height: 8 }} />
        </div>
      ))}
      <p className="text-12 text-muted" role="status">
        {stage > 1 ? what : ""}
      </p>
    </div>
  );
}
