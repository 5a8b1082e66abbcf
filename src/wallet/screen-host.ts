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

  /** Runs a flow when those before it have ended. @throws CoreServiceError CLIENT_ERROR when too many wait; what the flow throws. */
  async run<T>(flow: (dialog: Dialog) => Promise<T>): Promise<T> {
    if (this.#waiting > MAX_WAITING)
      throw new CoreServiceError('CLIENT_ERROR', 'Too many dialogs wait for the user; answer those first.');
    this.#waiting += 1;
    const running = this.#last
      .then(() => this.#run(flow))
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#last = running.catch(() => {});
    return running;
  }

  /**
   * Closes the screen. If no screen is shown at this moment, the flow ends when it would show the next one.
   * @param error what the flow ends with; by default, that the user has closed the dialog
   */
  dismiss(error = cancelled()): void {
    this.#dismiss?.(error);
  }

  /** Ends every flow, because the connection to the page has ended. */
  end(): void {
    this.#isOver = true;
    this.dismiss();
  }

  async #run<T>(flow: (dialog: Dialog) => Promise<T>): Promise<T> {
    let dismissed = this.#isOver ? cancelled() : undefined;
    this.#isShown = false;
    const requireOpen = (): void => {
      if (dismissed) throw dismissed;
    };
    const present: Present = (screen) => {
      requireOpen();
      return this.#present(screen, (error) => {
        dismissed = error;
      });
    };
    const progress = (): void => {
      requireOpen();
      this.#draw({ key: this.#presented++ });
    };
    this.#dismiss = (error) => {
      dismissed = error;
      this.parts.draw(undefined);
      this.parts.hide();
    };
    try {
      return await flow({ present, progress, requireOpen });
    } finally {
      this.#dismiss = undefined;
      this.parts.draw(undefined);
      this.parts.hide();
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
    onDismiss: (error: CoreServiceError) => void,
  ): Promise<Answers[K]> {
    const between = this.#dismiss;
    const goesOn = 'continues' in screen && screen.continues;
    const key = goesOn ? this.#presented - 1 : this.#presented++;
    return new Promise<Answers[K]>((resolve, reject) => {
      const fail = (error: CoreServiceError): void => {
        onDismiss(error);
        reject(error);
      };
      this.#dismiss = fail;
      // The screen stays visible, but accepts no input, until the next one is shown or the flow ends.
      const answer = (value: Answers[Screen['kind']]): void => {
        // An app may still show, and answer, a screen that was dismissed.
        if (this.#dismiss !== fail) return;
        this.#dismiss = between;
        this.parts.draw({ key, screen });
        resolve(value as Answers[K]);
      };
      this.#draw({ key, screen, answer, fail });
    });
  }
}

const cancelled = (): CoreServiceError =>
  new CoreServiceError('USER_CANCELLED', 'The user closed the dialog or declined.');
