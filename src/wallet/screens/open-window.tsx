// In the frame, in place of a screen that is shown in a window: a button that opens the window.
import type { Texts } from '../texts.js';
import { useFocus } from './parts.js';

export interface Opening {
  /** The window is open. */
  isOpen: boolean;
  /** Opens it; in a click. */
  open(): void;
  /** Brings it to the front; in a click. */
  focus(): void;
}

export function OpenWindow({ opening, texts: { window: texts } }: { opening: Opening; texts: Texts }) {
  const { isOpen, open, focus } = opening;
  const button = useFocus<HTMLButtonElement>();
  const click = (event: MouseEvent): void => {
    if (event.isTrusted) (isOpen ? focus : open)();
  };
  return (
    <section class="opening" data-open={isOpen} aria-labelledby="title">
      <h1 id="title">{texts.title}</h1>
      <p role="status">{isOpen ? texts.waiting : texts.hint}</p>
      <button ref={button} type="button" class="main" onClick={click}>
        {isOpen ? texts.show : texts.action}
      </button>
    </section>
  );
}
