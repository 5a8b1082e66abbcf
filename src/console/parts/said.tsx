// What came of an action.
import type { ComponentChildren } from 'preact';

/** One sentence about the last action; what failed is an alert. */
export function Said({ fault, children }: { fault: { sentence: string } | undefined; children?: ComponentChildren }) {
  return fault ? (
    <p role="alert" class="fault">
      {fault.sentence}
    </p>
  ) : (
    <p role="status">{children}</p>
  );
}
