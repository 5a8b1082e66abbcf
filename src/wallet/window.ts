// The window that the frame has opened: it shows screens, and sends the frame what the user entered.
import { errorData } from '../sdk/core/error.js';
import type { Shown } from './screen-host.js';
import { textsOf } from './texts.js';
import { messageFrom, tell, type WindowAnswer, type WindowDeclined } from './window-messages.js';
import { drawInWindow } from './window-view.js';

/** Shows the screens that the opener sends. */
export function runWindow(opener: Window): void {
  // The opener closes this window when it has the answer: of one that is closed before, it may see the closing first.
  const send = (message: WindowAnswer | WindowDeclined): void => {
    tell(opener, message);
    if (opener.closed) window.close();
  };
  const decline = (): void => send({ core: 'declined' });
  window.addEventListener('message', (event) => {
    const message = messageFrom(event, opener);
    if (message?.core !== 'screen') return;
    const { key, screen, isOpen, locale } = message;
    document.documentElement.lang = locale;
    const draw = (input: Partial<Shown>): void =>
      drawInWindow({ key, screen, ...input }, { texts: textsOf(locale), close: decline });
    if (!isOpen) return draw({});
    draw({
      answer: (answer) => {
        send({ core: 'answer', key, answer });
        draw({});
      },
      fail: (error) => send({ core: 'declined', error: errorData(error) }),
    });
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') decline();
  });
  tell(opener, { core: 'ready' });
}
