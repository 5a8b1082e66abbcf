// Changes of the catalog while the console is open, by one subscription for all views. A page never changes under its reader: a view that shows
// a changed entry offers to show the new state.
import { useEffect, useState } from 'preact/hooks';
import { follow } from './follow.js';
import { CatalogChangesDocument } from './generated/graphql.js';
import { publicSocket } from './sockets.js';

export type Kind = 'credentials' | 'issuers' | 'schemas' | 'programs' | 'verifiers';

interface Change {
  kind: string;
  entryId: string;
}

/**
 * Receives the changes of an event; `undefined` after an interruption in which any changes may have been
 * missed.
 */
type Listener = (changes: readonly Change[] | undefined) => void;

const listeners = new Set<Listener>();
const stateListeners = new Set<(isLive: boolean) => void>();
let stopFollowing: (() => void) | undefined;
let isLive = false;

function setLive(next: boolean): void {
  isLive = next;
  for (const listener of stateListeners) listener(next);
}

function notify(changes: readonly Change[] | undefined): void {
  for (const listener of listeners) listener(changes);
}

/**
 * Follows the catalog while a view listens, and after an interruption from the last event on. Anonymous subscriptions may
 * be closed; the console works without them.
 */
function followCatalog(): () => void {
  let last: string | undefined;
  const stop = follow(
    CatalogChangesDocument,
    () => (last === undefined ? {} : { after: last }),
    {
      next({ catalogChanged: { id, changes } }) {
        last = id;
        notify(changes);
      },
      opened(isAgain) {
        setLive(true);
        if (isAgain && last === undefined) notify(undefined);
      },
      interrupted({ oldest }) {
        setLive(false);
        if (oldest === undefined) return;
        // The events after the last one are no longer stored.
        notify(undefined);
        stopFollowing = followCatalog();
      },
      ended: () => setLive(false),
    },
    publicSocket,
  );
  return () => {
    stop();
    setLive(false);
  };
}

/** Adds a listener; the last one to leave ends the subscription. */
function listenTo(listener: Listener): () => void {
  listeners.add(listener);
  stopFollowing ??= followCatalog();
  return () => {
    listeners.delete(listener);
    // Another view of the same page may listen at once.
    setTimeout(() => {
      if (listeners.size > 0) return;
      stopFollowing?.();
      stopFollowing = undefined;
    });
  };
}

/**
 * What has happened since a view was drawn: nothing, changes of shown entries, or an interruption in which changes may
 * have been missed.
 */
export type Changed = 'no' | 'yes' | 'maybe';

/**
 * Whether these entries have changed since the view was drawn, and a function that resets this. Without `entryId`: any
 * entry of the kind.
 */
export function useChanges(kind: Kind, entryId?: string): [changed: Changed, reset: () => void] {
  const [changed, setChanged] = useState<Changed>('no');
  useEffect(() => {
    setChanged('no');
    const isOwn = (one: Change): boolean => one.kind === kind && (entryId === undefined || one.entryId === entryId);
    return listenTo((changes) => {
      if (changes === undefined) setChanged(orMaybe);
      else if (changes.some(isOwn)) setChanged('yes');
    });
  }, [kind, entryId]);
  return [changed, () => setChanged('no')];
}

const orMaybe = (before: Changed): Changed => (before === 'yes' ? 'yes' : 'maybe');

/** Whether the catalog is being followed. */
export function useIsLive(): boolean {
  const [value, setValue] = useState(isLive);
  useEffect(() => {
    stateListeners.add(setValue);
    return () => void stateListeners.delete(setValue);
  }, []);
  return value;
}
