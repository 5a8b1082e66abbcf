// Changes of the catalog while the console is open, by one event stream for all views. Nothing that is being read moves: a view that shows a
// changed entry offers to show the new state.
import { createClient } from 'graphql-sse';
import { useEffect, useState } from 'preact/hooks';
import { hashOf } from './client.js';
import { CatalogChangesDocument, type CatalogChangesSubscription } from './generated/graphql.js';

export type Kind = 'credentials' | 'issuers' | 'schemas' | 'programs' | 'verifiers';

interface Change {
  kind: string;
  entryId: string;
}

/** Gets the changes of an event; `undefined` after the stream was away, when any may have been missed. */
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

/** Follows the catalog until the page is closed. The library connects again by itself, with growing pauses. */
function follow(): void {
  if (isFollowing) return;
  isFollowing = true;
  const stream = createClient({
    url: '/graphql',
    retryAttempts: Number.POSITIVE_INFINITY,
    on: {
      connecting: () => setLive(false),
      connected(isAgain) {
        setLive(true);
        if (isAgain) notify(undefined);
      },
    },
  });
  stream.subscribe<CatalogChangesSubscription>(
    { query: '', extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(CatalogChangesDocument) } } },
    {
      next({ data }) {
        if (data) notify(data.catalogChanged.changes);
      },
      // Anonymous subscriptions may be closed; the console works without them.
      error: () => setLive(false),
      complete: () => setLive(false),
    },
  );
}

/** What came since a view was drawn: nothing, changes of what it shows, or an interruption in which changes may have been missed. */
export type Changed = 'no' | 'yes' | 'maybe';

/** Whether these entries have changed since the view was drawn, and how to begin anew; `entryId` absent: any entry of the kind. */
export function useChanges(kind: Kind, entryId?: string): [changed: Changed, reset: () => void] {
  const [changed, setChanged] = useState<Changed>('no');
  useEffect(() => {
    follow();
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
