// The wallet's page: in the frame of a partner's page, or in a window that the frame has opened.
import { errorData } from '../sdk/core/error.js';
import type { PageMethods } from '../sdk/core/protocol.js';
import { readConfig } from './config.js';
import { connectToPage } from './connection.js';
import { loaded } from './loaded.js';
import { ScreenHost } from './screen-host.js';
import { Stage } from './stage.js';
import { Wallet } from './wallet.js';
import { tell } from './window-messages.js';

/** Runs as the frame of a page. */
async function runFrame(): Promise<void> {
  const config = readConfig();
  if (config === undefined) return;
  let page: PageMethods | undefined;
  let pageOrigin: string | undefined;
  const stage = new Stage({
    partnerId: config.partnerId,
    texts: () => wallet.texts,
    locale: () => wallet.locale,
    dismiss: (error) => host.dismiss(error),
  });
  const host = new ScreenHost({
    show: () => page?.show(),
    hide: () => page?.hide(),
    draw: (shown) => stage.draw(shown),
  });
  const wallet = new Wallet({
    config,
    host,
    emit: (event) => page?.emit(event),
    provide: (event, value) => page?.provide(event, value),
    pageOrigin: () => pageOrigin,
    onConfig: () => stage.redraw(),
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') host.dismiss();
  });
  const end = (): void => {
    host.end();
    stage.close();
  };
  ({ page, pageOrigin } = await connectToPage(config.allowedOrigins, wallet.methods, end));
}

/** Runs as the window of a frame. Without an opener it stays empty. */
async function runWindow(): Promise<void> {
  const opener: Window | null = window.opener;
  if (opener === null) return;
  try {
    (await loaded(import('./window.js'))).runWindow(opener);
  } catch (error) {
    tell(opener, { core: 'declined', error: errorData(error) });
  }
}

void (window.parent !== window ? runFrame() : runWindow());
