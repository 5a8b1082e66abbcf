// An area that scrolls. It can receive the focus, so that it scrolls by keyboard, too.
import type { ComponentChildren } from 'preact';

export function Scrolls({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: otherwise it could not be scrolled by keyboard.
    <section class="scrolls" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
