// A button whose clicks count only after it was wholly visible for a while: nothing of the page covers or dims it.
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** How long it must have been visible, milliseconds. */
const VISIBLE_MS = 500;
/** How often the browser checks: the shortest interval that it allows. */
const DELAY_MS = 100;
/** Because positions are rounded, the ratio of a wholly visible button may be a little less than 1. */
const WHOLE = 0.99;

/** Whether this browser reports to frames whether they are visible (IntersectionObserver's trackVisibility). */
export const seesWhetherVisible = (): boolean => 'isVisible' in IntersectionObserverEntry.prototype;

export interface VisibleButton {
  button: RefObject<HTMLButtonElement>;
  isReady: boolean;
  /** Whether a click counts. */
  takes(event: MouseEvent): boolean;
}

/** Watches a button. In a window of its own, nothing can cover it; there, only the time counts. */
export function useVisibleButton(): VisibleButton {
  const button = useRef<HTMLButtonElement>(null);
  const [isReady, setReady] = useState(false);
  const observer = useRef<IntersectionObserver>();
  const noted = useRef<(entries: IntersectionObserverEntry[]) => void>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const note = (entries: IntersectionObserverEntry[]): void => {
      const entry = entries.at(-1) as (IntersectionObserverEntry & { isVisible?: boolean }) | undefined;
      clearTimeout(timer);
      setReady(false);
      if (entry && entry.intersectionRatio >= WHOLE && entry.isVisible !== false)
        timer = setTimeout(() => setReady(true), VISIBLE_MS);
    };
    noted.current = note;
    const options = { threshold: [0, WHOLE], trackVisibility: true, delay: DELAY_MS };
    observer.current = new IntersectionObserver(note, options);
    if (button.current) observer.current.observe(button.current);
    return () => {
      clearTimeout(timer);
      observer.current?.disconnect();
    };
  }, []);
  const takes = (event: MouseEvent): boolean => {
    // Changes that the browser has not reported yet count for this click. They are noted for later ones, too: it does not report them again.
    const changes = observer.current?.takeRecords() ?? [];
    if (changes.length > 0) noted.current?.(changes);
    return event.isTrusted && isReady && changes.length === 0;
  };
  return { button, isReady, takes };
}
