// The window that the frame has opened: it shows one screen, and sends the frame what the user entered.
import type { Answers, Screen } from '../sdk/core/screens.js';
import type { Texts } from './texts.js';
import { drawScreen } from './view.js';
import { messageFrom, tell } from './window-messages.js';

/** Shows the screen that the opener sends. Without one it stays empty. */
export function runWindow(texts: Texts): void {
  const opener: Window | null = window.opener;
  if (opener === null) return;
  // The opener closes this window when it has the answer: of one that is closed before, it may see the closing first.
  const answerWith = (answer: Answers[Screen['kind']] | null): void => {
    tell(opener, { core: 'answer', answer });
    if (opener.closed) window.close();
  };
  let key = 0;
  window.addEventListener('message', (event) => {
    const message = messageFrom(event, opener);
    if (message?.core !== 'screen') return;
    const context = { texts, partnerId: '', close: () => answerWith(null), isWindow: true };
    drawScreen({ key: key++, screen: message.screen, answer: answerWith }, context);
  });
  tell(opener, { core: 'ready' });
}
