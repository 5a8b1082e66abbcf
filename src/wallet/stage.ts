// Where the frame shows a screen: in itself, or, if something is approved with it, in a window that a click in the frame opens.
import type { CoreServiceError } from '../sdk/core/error.js';
import type { Screen } from '../sdk/core/screens.js';
import { ApprovalWindow } from './approval-window.js';
import type { Shown } from './screen-host.js';
import type { Texts } from './texts.js';
import { drawInFrame, isApproved } from './view.js';

export interface StageParts {
  partnerId: string;
  texts(): Texts;
  locale(): string;
  /** Ends the flow whose screen is shown. */
  dismiss(error?: CoreServiceError): void;
}

export class Stage {
  #shown: Shown | undefined;
  #window: ApprovalWindow | undefined;

  constructor(private readonly parts: StageParts) {}

  /** Shows a screen; undefined: none. The window stays for the next screens of the operation that it can show. */
  draw(shown: Shown | undefined): void {
    this.#shown = shown;
    if (this.#approved === undefined) this.close();
    this.redraw();
  }

  /** Draws again what is shown, because texts or settings have changed. */
  redraw(): void {
    const { texts, locale, dismiss } = this.parts;
    document.documentElement.lang = locale();
    const screen = this.#approved;
    if (this.#shown && screen) this.#window?.show(this.#shown, screen, locale());
    const opening = screen && {
      isOpen: this.#window !== undefined,
      open: () => this.#open(),
      focus: () => this.#window?.focus(),
    };
    drawInFrame(this.#shown, { texts: texts(), close: () => dismiss() }, opening);
  }

  /** Closes the window, if one is open. */
  close(): void {
    this.#window?.close();
    this.#window = undefined;
  }

  /** The screen that is shown, if it belongs into a window. */
  get #approved(): Screen | undefined {
    return this.#shown && isApproved(this.#shown) ? this.#shown.screen : undefined;
  }

  #open(): void {
    const { partnerId, dismiss } = this.parts;
    try {
      this.#window = new ApprovalWindow({
        partnerId,
        onAnswer: (key, answer) => {
          if (this.#shown?.key === key) this.#shown.answer?.(answer);
        },
        onClose: (error) => dismiss(error),
      });
    } catch (error) {
      dismiss(error as CoreServiceError);
    }
    this.redraw();
  }
}
