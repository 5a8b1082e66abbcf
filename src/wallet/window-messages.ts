// The messages between the frame and its window. Each checks that the other has the gateway's origin.
import type { Answers, Screen } from '../sdk/core/screens.js';

/** The window has loaded. */
export interface WindowReady {
  core: 'ready';
}
/** What the window shows. */
export interface WindowScreen {
  core: 'screen';
  screen: Screen;
}
/** What the user entered; null: declined. */
export interface WindowAnswer {
  core: 'answer';
  answer: Answers[Screen['kind']] | null;
}

export type WindowMessage = WindowReady | WindowScreen | WindowAnswer;

/** The message of an event from a window; undefined: it is from elsewhere. */
export function messageFrom({ source, origin, data }: MessageEvent, from: Window | null): WindowMessage | undefined {
  if (from === null || source !== from || origin !== location.origin) return undefined;
  return typeof data === 'object' && data !== null && 'core' in data ? (data as WindowMessage) : undefined;
}

export const tell = (to: Window, message: WindowMessage): void => to.postMessage(message, location.origin);
