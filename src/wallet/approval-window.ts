// The window in which a user approves what an operation asks. Its page has no part in it: a frame can be cropped, scaled or painted over by the page around it.
import { CoreServiceError, type ErrorData } from '../sdk/core/error.js';
import type { Answers, Screen } from '../sdk/core/screens.js';
import type { Shown } from './screen-host.js';
import { messageFrom, tell, type WindowScreen } from './window-messages.js';

const FEATURES = 'popup,width=420,height=640';
const LOOK_MS = 250;

export interface ApprovalWindowParts {
  partnerId: string;
  /** The user has answered the screen with this key. */
  onAnswer(key: number, answer: Answers[Screen['kind']]): void;
  /** The user has declined; with an error: closed the window, or it cannot show the screen. */
  onClose(error?: CoreServiceError): void;
}

/** An open window. It shows the screens of one operation in turn. */
export class ApprovalWindow {
  readonly #opened: Window;
  readonly #listening = new AbortController();
  #isReady = false;
  #message: WindowScreen | undefined;

  /** Opens it; must be called in a click. @throws CoreServiceError WINDOW_BLOCKED. */
  constructor({ partnerId, onAnswer, onClose }: ApprovalWindowParts) {
    const opened = window.open(`/wallet/?partnerId=${encodeURIComponent(partnerId)}&window`, '_blank', FEATURES);
    // Null also if the page is isolated by Cross-Origin-Opener-Policy: the window could then not send messages.
    if (opened === null)
      throw new CoreServiceError(
        'WINDOW_BLOCKED',
        'The browser did not open the window, or the page’s Cross-Origin-Opener-Policy separates it.',
      );
    this.#opened = opened;
    const { signal } = this.#listening;
    const hear = (event: MessageEvent): void => {
      const message = messageFrom(event, opened);
      if (message?.core === 'answer') onAnswer(message.key, message.answer);
      if (message?.core === 'declined') onClose(message.error && errorOf(message.error));
      if (message?.core !== 'ready') return;
      this.#isReady = true;
      this.#tell();
    };
    window.addEventListener('message', hear, { signal });
    const timer = setInterval(() => {
      if (!opened.closed) return;
      this.close();
      onClose(new CoreServiceError('WINDOW_CLOSED', 'The window was closed.'));
    }, LOOK_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
  }

  /** Shows a screen in place of the one before. */
  show({ key, answer }: Shown, screen: Screen, locale: string): void {
    this.#message = { core: 'screen', key, screen, isOpen: answer !== undefined, locale };
    this.#tell();
  }

  #tell(): void {
    if (this.#isReady && this.#message) tell(this.#opened, this.#message);
  }

  /** Brings it to the front; must be called in a click. */
  focus(): void {
    this.#opened.focus();
  }

  close(): void {
    this.#listening.abort();
    this.#opened.close();
  }
}

const errorOf = ({ name, message }: ErrorData): CoreServiceError => new CoreServiceError(name, message);
