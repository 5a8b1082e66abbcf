// Serves the frame of browser/consent-frame.tsx, which asks for a consent at each login.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const MARKUP = '<b onclick="x">\u202egnp.exe</b>';
const SCREEN = {
  kind: 'consent',
  partnerName: MARKUP,
  title: `Sign this ${MARKUP}`,
  facts: [
    { name: 'Text', value: `${MARKUP} ${'long '.repeat(2_000)}` },
    { name: 'Account', value: '0x1' },
  ],
  action: 'Sign',
};

/** Serves the frame of browser/consent-frame.tsx, its window, and the library. */
export async function serveFrame(allowedOrigins: string[]): Promise<{ url: string; server: Server }> {
  const bundler = '../../tools/bundle-client.mjs';
  const { bundleForWeb } = (await import(bundler)) as {
    bundleForWeb(input: object, options: object): Promise<Map<string, string>>;
  };
  const options = { codeSplitting: false, entryFileNames: '[name].js' };
  const files = await bundleForWeb({ frame: 'test/sdk/browser/consent-frame.tsx' }, options);
  const config = JSON.stringify({ allowedOrigins, screen: SCREEN }).replaceAll('<', '\\u003c');
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Wallet</title><link rel="icon" href="data:,">
    <link rel="stylesheet" href="/wallet.css"><script type="application/json" id="config">${config}</script>
    <script type="module" src="/frame.js"></script><body><div id="wallet"></div></body></html>`;
  const served: Record<string, [string, string]> = {
    '/wallet/': ['text/html', page],
    '/frame.js': ['text/javascript', files.get('frame.js') ?? ''],
    '/wallet.css': ['text/css', readFileSync('src/wallet/wallet.css', 'utf8')],
    '/sdk/core.js': ['text/javascript', readFileSync('dist/sdk/core.js', 'utf8')],
  };
  const server = createServer((request, response) => {
    const [type, text] = served[(request.url ?? '').split('?')[0] ?? ''] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'access-control-allow-origin': '*' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, server };
}
