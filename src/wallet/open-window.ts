// Shows a screen in a window of its own, which the page cannot cover. Must be called in a click.
import { CoreServiceError } from '../sdk/core/error.js';
import type { Answers, Screen } from '../sdk/core/screens.js';
import { messageFrom, tell } from './window-messages.js';

const FEATURES = 'popup,width=420,height=640';
const LOOK_MS = 250;

/**
 * Opens the window and waits for the user's input. @throws CoreServiceError WINDOW_BLOCKED, WINDOW_CLOSED,
 * USER_CANCELLED.
 */
export async function askInWindow(partnerId: string, screen: Screen): Promise<Answers[Screen['kind']]> {
  const opened = window.open(`/wallet/?partnerId=${encodeURIComponent(partnerId)}&window`, '_blank', FEATURES);
  // Null also if the page is isolated by Cross-Origin-Opener-Policy: the window could then not send messages.
  if (opened === null)
    throw new CoreServiceError(
      'WINDOW_BLOCKED',
      'The browser did not open the window, or the page’s Cross-Origin-Opener-Policy separates it.',
    );
  const listening = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      const hear = (event: MessageEvent): void => {
        const message = messageFrom(event, opened);
        if (message?.core === 'ready') tell(opened, { core: 'screen', screen });
        if (message?.core !== 'answer') return;
        if (message.answer) resolve(message.answer);
        else reject(new CoreServiceError('USER_CANCELLED', 'The user declined.'));
      };
      window.addEventListener('message', hear, { signal: listening.signal });
      const timer = setInterval(() => {
        if (opened.closed) reject(new CoreServiceError('WINDOW_CLOSED', 'The window was closed.'));
      }, LOOK_MS);
      listening.signal.addEventListener('abort', () => clearInterval(timer));
    });
  } finally {
    listening.abort();
    opened.close();
  }
}
