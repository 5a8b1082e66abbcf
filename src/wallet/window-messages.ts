// The messages between the frame and its window. Each checks that the other has the gateway's origin.
import type { ErrorData } from '../sdk/core/error.js';
import type { Answers, Screen } from '../sdk/core/screens.js';

/** The window has loaded. */
export interface WindowReady {
  core: 'ready';
}
/** What the window shows. */
export interface WindowScreen {
  core: 'screen';
  /** The number of the screen; an answer names it. */
  key: number;
  screen: Screen;
  /** Whether the screen accepts input. */
  isOpen: boolean;
  locale: string;
}
/** What the user entered. */
export interface WindowAnswer {
  core: 'answer';
  key: number;
  answer: Answers[Screen['kind']];
}
/** The user declined, or the screen could not be shown. */
export interface WindowDeclined {
  core: 'declined';
  error?: ErrorData;
}

export type WindowMessage = WindowReady | WindowScreen | WindowAnswer | WindowDeclined;

/** The message of an event from a window; undefined: it is from elsewhere. */
export function messageFrom({ source, origin, data }: MessageEvent, from: Window | null): WindowMessage | undefined {
  if (from === null || source !== from || origin !== location.origin) return undefined;
  return typeof data === 'object' && data !== null && 'core' in data ? (data as WindowMessage) : undefined;
}

export const tell = (to: Window, message: WindowMessage): void => to.postMessage(message, location.origin);
