// Changes of the catalog while the console is open, by one event stream for all views. Nothing that is being read moves: a view that shows a
// changed entry offers to show the new state.
import { useEffect, useState } from 'preact/hooks';
import { follow } from './follow.js';
import { CatalogChangesDocument } from './generated/graphql.js';

export type Kind = 'credentials' | 'issuers' | 'schemas' | 'programs' | 'verifiers';

interface Change {
  kind: string;
  entryId: string;
}

/**
 * Receives the changes of an event; `undefined` after an interruption of the stream, when any changes may have been
 * missed.
 */
type Listener = (changes: readonly Change[] | undefined) => void;

const listeners = new Set<Listener>();
const stateListeners = new Set<(isLive: boolean) => void>();
let isFollowing = false;
let isLive = false;

function setLive(next: boolean): void {
  isLive = next;
  for (const listener of stateListeners) listener(next);
}

function notify(changes: readonly Change[] | undefined): void {
  for (const listener of listeners) listener(changes);
}

/** Follows the catalog until the page is closed. Anonymous subscriptions may be closed; the console works without them. */
function followCatalog(): void {
  if (isFollowing) return;
  isFollowing = true;
  follow(
    CatalogChangesDocument,
    () => ({}),
    {
      next: ({ catalogChanged }) => notify(catalogChanged.changes),
      opened(isAgain) {
        setLive(true);
        if (isAgain) notify(undefined);
      },
      interrupted: () => setLive(false),
      ended: () => setLive(false),
    },
    async () => ({}),
  );
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
    followCatalog();
    setChanged('no');
    const isOwn = (one: Change): boolean => one.kind === kind && (entryId === undefined || one.entryId === entryId);
    const listen: Listener = (changes) => {
      if (changes === undefined) setChanged((before) => (before === 'yes' ? 'yes' : 'maybe'));
      else if (changes.some(isOwn)) setChanged('yes');
    };
    listeners.add(listen);
    return () => void listeners.delete(listen);
  }, [kind, entryId]);
  return [changed, () => setChanged('no')];
}

/** Whether the event stream is open. */
export function useIsLive(): boolean {
  const [value, setValue] = useState(isLive);
  useEffect(() => {
    stateListeners.add(setValue);
    return () => void stateListeners.delete(setValue);
  }, []);
  return value;
}
