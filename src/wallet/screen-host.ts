// Shows one screen at a time. Flows wait for each other; screens are data, which the view draws.
import { CoreServiceError } from '../sdk/core/error.js';
import type { Answers, Present, Screen } from '../sdk/core/screens.js';

/** How many flows may wait. */
const MAX_WAITING = 10;

/** What the view draws. If `answer` is undefined, the screen accepts no input. */
export interface Shown {
  /** A new number for each presentation of a screen, so that the view keeps no state of an earlier one. */
  key: number;
  /** Absent: something is under way that needs nothing of the user. */
  screen?: Screen;
  answer?: (answer: Answers[Screen['kind']]) => void;
  fail?: (error: CoreServiceError) => void;
}

export interface HostParts {
  /** Opens and closes the dialog. */
  show(): void;
  hide(): void;
  draw(shown: Shown | undefined): void;
}

/** What a flow can use: functions that show screens, and a check. */
export interface Dialog {
  present: Present;
  /**
   * Says in the dialog, which it opens, that something is under way: before the first screen, or after the last one, whose window it closes.
   * @throws CoreServiceError like `requireOpen`
   */
  progress(): void;
  /** @throws CoreServiceError USER_CANCELLED if the user has closed the dialog, even while no screen was waiting. */
  requireOpen(): void;
  /** Aborts once the dialog is closed, or its session or the page has ended; not when the flow ends by itself. */
  signal: AbortSignal;
}

/** Shows the screens of flows. */
export class ScreenHost {
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();
  #dismiss: ((error: CoreServiceError) => void) | undefined;
  #isOver = false;
  #presented = 0;
  /** Whether the dialog is open for the flow that runs. */
  #isShown = false;

  constructor(private readonly parts: HostParts) {}

  /**
   * Runs a flow when those before it have ended. A flow whose dialog is closed is not waited for: what it does then, nobody hears of.
   * @param signal ends it, also before it begins
   * @throws CoreServiceError CLIENT_ERROR when too many wait or the signal is aborted; USER_CANCELLED; what the flow throws.
   */
  async run<T>(flow: (dialog: Dialog) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#waiting > MAX_WAITING)
      throw new CoreServiceError('CLIENT_ERROR', 'Too many dialogs wait for the user; answer those first.');
    this.#waiting += 1;
    const running = this.#last
      .then(() => this.#run(flow, signal))
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#last = running.catch(() => {});
    return running;
  }

  /**
   * Ends the flow that runs, at once, also if no screen is shown at this moment.
   * @param error what it ends with; by default, that the user has closed the dialog
   */
  dismiss(error = cancelled()): void {
    this.#dismiss?.(error);
  }

  /** Ends every flow, because the connection to the page has ended. */
  end(): void {
    this.#isOver = true;
    this.dismiss();
  }

  async #run<T>(flow: (dialog: Dialog) => Promise<T>, outer?: AbortSignal): Promise<T> {
    const ending = new AbortController();
    const { signal } = ending;
    this.#isShown = false;
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    ended.catch(() => {});
    let isHidden = false;
    // Once, however the flow ends: the page hears of it.
    const hide = (): void => {
      if (isHidden) return;
      isHidden = true;
      this.parts.draw(undefined);
      this.parts.hide();
    };
    const end = (error: CoreServiceError): void => {
      ending.abort(error);
      if (this.#dismiss === end) hide();
    };
    this.#dismiss = end;
    const abort = (): void => end(aborted());
    outer?.addEventListener('abort', abort, { once: true });
    if (this.#isOver) end(cancelled());
    if (outer?.aborted) abort();
    const requireOpen = (): void => signal.throwIfAborted();
    const present: Present = (screen) => {
      requireOpen();
      return this.#present(screen, signal, end);
    };
    const progress = (): void => {
      requireOpen();
      this.#draw({ key: this.#presented++ });
    };
    try {
      requireOpen();
      return await Promise.race([flow({ present, progress, requireOpen, signal }), ended]);
    } finally {
      this.#dismiss = undefined;
      outer?.removeEventListener('abort', abort);
      hide();
    }
  }

  /** Draws, and opens the dialog if it is not open: the page hears of the first screen of a flow alone. */
  #draw(shown: Shown): void {
    this.parts.draw(shown);
    if (!this.#isShown) this.parts.show();
    this.#isShown = true;
  }

  #present<K extends Screen['kind']>(
    screen: Extract<Screen, { kind: K }>,
    signal: AbortSignal,
    fail: (error: CoreServiceError) => void,
  ): Promise<Answers[K]> {
    const goesOn = 'continues' in screen && screen.continues;
    const key = goesOn ? this.#presented - 1 : this.#presented++;
    return new Promise<Answers[K]>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      let isAnswered = false;
      // The screen stays visible, but accepts no input, until the next one is shown or the flow ends.
      const answer = (value: Answers[Screen['kind']]): void => {
        // An app may still show, and answer, a screen that was dismissed.
        if (isAnswered || signal.aborted) return;
        isAnswered = true;
        this.parts.draw({ key, screen });
        resolve(value as Answers[K]);
      };
      this.#draw({ key, screen, answer, fail });
    });
  }
}

const aborted = (): CoreServiceError => new CoreServiceError('CLIENT_ERROR', 'The page has aborted the call.');

const cancelled = (): CoreServiceError =>
  new CoreServiceError('USER_CANCELLED', 'The user closed the dialog or declined.');
