// The wallet's page: in the frame of a partner's page, or in a window that the frame has opened.
import type { PageMethods } from '../sdk/core/protocol.js';
import { readConfig } from './config.js';
import { connectToPage } from './connection.js';
import { ScreenHost, type Shown } from './screen-host.js';
import { drawScreen } from './view.js';
import { Wallet } from './wallet.js';
import { runWindow } from './window.js';
import { textsOf } from './texts.js';

/** Runs as the frame of a page. */
async function runFrame(): Promise<void> {
  const config = readConfig();
  if (config === undefined) return;
  let page: PageMethods | undefined;
  let pageOrigin: string | undefined;
  let shown: Shown | undefined;
  const redraw = (): void => {
    document.documentElement.lang = wallet.locale;
    drawScreen(shown, { texts: wallet.texts, partnerId: config.partnerId, close: () => host.dismiss() });
  };
  const host = new ScreenHost({
    show: () => page?.show(),
    hide: () => page?.hide(),
    draw(next) {
      shown = next;
      redraw();
    },
  });
  const wallet = new Wallet({
    config,
    host,
    emit: (event) => page?.emit(event),
    provide: (event, value) => page?.provide(event, value),
    pageOrigin: () => pageOrigin,
    onConfig: redraw,
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') host.dismiss();
  });
  ({ page, pageOrigin } = await connectToPage(config.allowedOrigins, wallet.methods, () => host.end()));
}

if (window.parent !== window) void runFrame();
else runWindow(textsOf(navigator.language));
