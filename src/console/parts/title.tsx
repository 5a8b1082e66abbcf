// The heading of a view. It gets the focus when the view is opened, so that screen readers begin there.
import { useEffect, useRef } from 'preact/hooks';

export function Title({ text }: { text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${text.slice(0, 60)} – Console`;
    // The focus stays in a field that is being typed into.
    if (!(document.activeElement instanceof HTMLInputElement)) heading.current?.focus();
  }, [text]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      <bdi>{text.length > 300 ? `${text.slice(0, 300)}…` : text}</bdi>
    </h1>
  );
}
