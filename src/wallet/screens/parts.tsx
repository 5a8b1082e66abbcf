// Parts of several screens.
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The fault of the last input; screen readers read it out. */
export function Fault({ text }: { text: string | undefined }) {
  return (
    <p id="fault" role="alert">
      {text}
    </p>
  );
}

/** The element that gets the focus when a screen is shown, and again after a fault. */
export function useFocus<T extends HTMLElement>(fault?: string): RefObject<T> {
  const ref = useRef<T>(null);
  useEffect(() => {
    ref.current?.focus();
    // The first screen is drawn before the dialog is open, when no element can get the focus.
    const take = (): void => {
      if (document.activeElement === document.body) ref.current?.focus();
    };
    window.addEventListener('focus', take);
    return () => window.removeEventListener('focus', take);
  }, [fault]);
  return ref;
}

/** Says that something is under way. */
export function Progress({ text }: { text: string }) {
  const heading = useFocus<HTMLHeadingElement>();
  return (
    <section>
      <h1 ref={heading} tabIndex={-1}>
        {text}
      </h1>
    </section>
  );
}
