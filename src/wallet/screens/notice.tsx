// In the window, says why an operation cannot go on, and lets the user try again or end it.
import type { Answers, NoticeScreen } from '../../sdk/core/screens.js';
import { visibleText } from '../visible-text.js';
import { useFocus } from './parts.js';

interface NoticeFormProps {
  screen: NoticeScreen;
  answer: ((answer: Answers['notice']) => void) | undefined;
}

export function NoticeForm({ screen: { title, text, again, close }, answer }: NoticeFormProps) {
  const heading = useFocus<HTMLHeadingElement>();
  return (
    <section aria-labelledby="title">
      <h1 id="title" ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p role="status">
        <bdi>{visibleText(text)}</bdi>
      </p>
      {again !== undefined && (
        <button
          type="button"
          class="main"
          aria-disabled={answer === undefined}
          onClick={() => answer?.({ again: true })}
        >
          {again}
        </button>
      )}
      <button
        type="button"
        class={again === undefined ? 'main' : ''}
        aria-disabled={answer === undefined}
        onClick={() => answer?.({ closed: true })}
      >
        {close}
      </button>
    </section>
  );
}
