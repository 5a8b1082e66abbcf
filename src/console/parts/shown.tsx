// A view while it is read, when it cannot be read, and when what it shows has changed.
import type { ComponentChildren } from 'preact';
import type { Changed } from '../api/changes.js';
import type { View } from '../api/use-view.js';
import { FaultSaid } from './said.js';

interface ShownProps<Data> {
  view: View<Data>;
  /** Draws the data. */
  children(data: Data): ComponentChildren;
}

/** Draws the data of a view, or why it is not there. */
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

/** Says that newer data is there; nothing moves until it is asked for. */
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
