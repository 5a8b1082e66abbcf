// The wallet's page: in the frame of a partner's page, or in a window that the frame has opened.
import type { PageMethods } from '../sdk/core/protocol.js';
import { readConfig } from './config.js';
import { connectToPage } from './connection.js';
import { ScreenHost } from './screen-host.js';
import { Stage } from './stage.js';
import { Wallet } from './wallet.js';
import { runWindow } from './window.js';

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

if (window.parent !== window) void runFrame();
else runWindow();
