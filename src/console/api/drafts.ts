// What is typed and not sent, and what is shown only once. It stays in the memory of the page: who comes back finds it, and leaving asks.
import { useEffect, useState } from 'preact/hooks';
import { navigate, useBrowserLocation } from 'wouter-preact/use-browser-location';

/** By the address of its view and its name there. */
const drafts = new Map<string, unknown>();
/** Those of views that are open. */
const open = new Set<string>();

export interface Draft<Value> {
  value: Value;
  /** Sets what is to be kept. */
  keep(value: Value): void;
  /** Sets what need not be kept: it was sent, or is the beginning. */
  reset(value: Value): void;
}

/** A state of a view that is kept when the view is left. */
export function useDraft<Value>(name: string, beginning: Value): Draft<Value> {
  const [key] = useState(() => `${location.pathname}${location.search} ${name}`);
  const [value, setValue] = useState<Value>(() => (drafts.has(key) ? (drafts.get(key) as Value) : beginning));
  useEffect(() => {
    open.add(key);
    return () => void open.delete(key);
  }, [key]);
  return {
    value,
    keep(next) {
      drafts.set(key, next);
      setValue(() => next);
    },
    reset(next) {
      drafts.delete(key);
      setValue(() => next);
    },
  };
}

const QUESTION =
  'Leave this page? What is typed or shown here was not saved. It stays until you close or reload the console.';

/** Whether the open views may be left: nothing in them is kept, or the person says so. */
export const mayLeave = (): boolean => ![...open].some((key) => drafts.has(key)) || confirm(QUESTION);

/** Forgets what the last caller typed. */
export const forgetDrafts = (): void => drafts.clear();

addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault();
});

/** The location of the router; going elsewhere asks if something would be left. */
export function useGuardedLocation(): ReturnType<typeof useBrowserLocation> {
  const [path] = useBrowserLocation();
  return [path, guardedNavigate];
}

const guardedNavigate: typeof navigate = (to, options) => {
  const { pathname, search } = new URL(to, location.href);
  const isElsewhere = pathname !== location.pathname || search !== location.search;
  if (!isElsewhere || mayLeave()) navigate(to, options);
};
