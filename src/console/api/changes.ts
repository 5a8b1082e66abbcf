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

const listeners = new Set<(changes: readonly Change[]) => void>();
const stateListeners = new Set<(isLive: boolean) => void>();
let isFollowing = false;
let isLive = false;

function setLive(next: boolean): void {
  isLive = next;
  for (const listener of stateListeners) listener(next);
}

/** Follows the catalog until the page is closed. The library connects again by itself, with growing pauses. */
function follow(): void {
  if (isFollowing) return;
  isFollowing = true;
  const stream = createClient({
    url: '/graphql',
    retryAttempts: Number.POSITIVE_INFINITY,
    onMessage: () => setLive(true),
  });
  stream.subscribe<CatalogChangesSubscription>(
    { query: '', extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(CatalogChangesDocument) } } },
    {
      next({ data }) {
        setLive(true);
        const changes = data?.catalogChanged.changes ?? [];
        for (const listener of listeners) listener(changes);
      },
      // Anonymous subscriptions may be closed; the console works without them.
      error: () => setLive(false),
      complete: () => setLive(false),
    },
  );
}

/** How many changes of these entries came since the view was drawn, and how to begin anew; `entryId` absent: any entry of the kind. */
export function useChanges(kind: Kind, entryId?: string): [count: number, reset: () => void] {
  const [count, setCount] = useState(0);
  useEffect(() => {
    follow();
    setCount(0);
    const listen = (changes: readonly Change[]): void => {
      const own = changes.filter((one) => one.kind === kind && (entryId === undefined || one.entryId === entryId));
      if (own.length > 0) setCount((before) => before + own.length);
    };
    listeners.add(listen);
    return () => void listeners.delete(listen);
  }, [kind, entryId]);
  return [count, () => setCount(0)];
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
