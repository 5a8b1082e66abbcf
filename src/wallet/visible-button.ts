// A button that takes a click only after it was wholly visible for a while: nothing of the page lies over it, and nothing dims it.
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** How long it must have been visible, milliseconds. */
const VISIBLE_MS = 500;
/** How often the browser looks; its least. */
const DELAY_MS = 100;
/** Rounding of positions on a screen makes a whole button a little less than one. */
const WHOLE = 0.99;

/** Whether this browser tells frames what is seen of them (IntersectionObserver's trackVisibility). */
export const seesWhetherVisible = (): boolean => 'isVisible' in IntersectionObserverEntry.prototype;

export interface VisibleButton {
  button: RefObject<HTMLButtonElement>;
  isReady: boolean;
  /** Whether a click counts. */
  takes(event: MouseEvent): boolean;
}

/** Watches a button. In a window of its own nothing can lie over it; there only the time counts. */
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
    // What the browser has seen and not reported yet counts too, for later clicks as well: it is not reported again.
    const changes = observer.current?.takeRecords() ?? [];
    if (changes.length > 0) noted.current?.(changes);
    return event.isTrusted && isReady && changes.length === 0;
  };
  return { button, isReady, takes };
}
