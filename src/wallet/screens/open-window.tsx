// Replaces a screen that this browser can show safely only in a window: a button that opens the window.
import { useState } from 'preact/hooks';
import { CoreServiceError } from '../../sdk/core/error.js';
import type { Answers, Screen } from '../../sdk/core/screens.js';
import { askInWindow } from '../open-window.js';
import type { Texts } from '../texts.js';
import { useFocus } from './parts.js';

interface OpenWindowProps {
  screen: Screen;
  answer: ((answer: Answers[Screen['kind']]) => void) | undefined;
  fail: ((error: CoreServiceError) => void) | undefined;
  partnerId: string;
  texts: Texts;
}

export function OpenWindow({ screen, answer, fail, partnerId, texts: { window: texts } }: OpenWindowProps) {
  const button = useFocus<HTMLButtonElement>();
  const [isOpen, setOpen] = useState(false);
  const open = (event: MouseEvent): void => {
    if (!event.isTrusted || isOpen) return;
    setOpen(true);
    askInWindow(partnerId, screen).then(
      (value) => answer?.(value),
      (error: CoreServiceError) => fail?.(error),
    );
  };
  return (
    <section aria-labelledby="title">
      <h1 id="title">{texts.title}</h1>
      <p role="status">{isOpen ? texts.waiting : texts.hint}</p>
      <button ref={button} type="button" class="main" aria-disabled={isOpen} onClick={open}>
        {texts.action}
      </button>
    </section>
  );
}
