// A frame that asks for a consent at each login. It consists of the wallet's own parts; the page around it uses the library unchanged.
import { errorData } from '../../../src/sdk/core/error.js';
import type { FrameMethods, PageMethods } from '../../../src/sdk/core/protocol.js';
import type { ConsentScreen } from '../../../src/sdk/core/screens.js';
import { connectToPage } from '../../../src/wallet/connection.js';
import { ScreenHost } from '../../../src/wallet/screen-host.js';
import { Stage } from '../../../src/wallet/stage.js';
import { textsOf } from '../../../src/wallet/texts.js';
import { runWindow } from '../../../src/wallet/window.js';

let locale = 'en';
const { allowedOrigins, screen } = JSON.parse(document.getElementById('config')?.textContent ?? '{}') as {
  allowedOrigins: string[];
  screen: ConsentScreen;
};

async function runFrame(): Promise<void> {
  let page: PageMethods | undefined;
  const stage = new Stage({
    partnerId: 'partner',
    texts: () => textsOf(locale),
    locale: () => locale,
    dismiss: (error) => host.dismiss(error),
  });
  const host = new ScreenHost({
    show: () => page?.show(),
    hide: () => page?.hide(),
    draw: (shown) => stage.draw(shown),
  });
  const consent = () => host.run(({ present }) => present<'consent'>(screen));
  const methods = {
    init: async () => ({ value: { login: null, networkEnv: 'sandbox', host: 'localhost' } }),
    login: () =>
      consent().then(
        (value) => ({ value }),
        (error) => ({ error: errorData(error) }),
      ),
    updateSessionConfig: async (change: { locale: string }) => {
      ({ locale } = change);
      stage.redraw();
      return { value: change };
    },
    dismiss: () => host.dismiss(),
  } as unknown as FrameMethods;
  ({ page } = await connectToPage(allowedOrigins, methods, () => host.end()));
}

if (window.parent !== window) void runFrame();
else if (window.opener !== null) runWindow(window.opener);
