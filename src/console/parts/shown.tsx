// A view's content, or a message while it is read, if it cannot be read, or if it has changed.
import type { ComponentChildren } from 'preact';
import type { Changed } from '../api/changes.js';
import type { View } from '../api/use-view.js';
import { FaultSaid } from './said.js';

interface ShownProps<Data> {
  view: View<Data>;
  /** Draws the data. */
  children(data: Data): ComponentChildren;
}

/** Draws the data of a view, or the reason why there is none. */
export function Shown<Data>({ view: { data, fault, isReading, reload }, children }: ShownProps<Data>) {
  return (
    <div aria-busy={isReading}>
      {fault && (
        <FaultSaid fault={fault}>
          <button type="button" onClick={reload}>
            Try again
          </button>
        </FaultSaid>
      )}
      {data === undefined && !fault && <p role="status">Reading …</p>}
      {data !== undefined && children(data)}
    </div>
  );
}

/** A notice that newer data exists, with a button that loads it. */
export function Newer({ changed, show }: { changed: Changed; show(): void }) {
  return (
    <p role="status" class={changed === 'no' ? 'newer none' : 'newer'}>
      {changed !== 'no' && (
        <>
          {changed === 'yes' ? 'This has changed. ' : 'The connection was away; this may have changed. '}
          <button type="button" onClick={show}>
            Show it as it is now
          </button>
        </>
      )}
    </p>
  );
}
