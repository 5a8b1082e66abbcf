// Origins of pages (RFC 6454), as browsers and web views send them.
import { parsedUrl } from '../../common/parsed-url.js';

/** Schemes of pages without an origin of their own, or of addresses that are not pages. */
const NOT_OF_PAGES: ReadonlySet<string> = new Set([
  'file:',
  'data:',
  'blob:',
  'about:',
  'javascript:',
  'ws:',
  'wss:',
  'ftp:',
]);

/** The URL standard allows these in hosts; in lists and in policies of pages they have another meaning. */
const NOT_IN_HOSTS = /[*;,'"]/;

/** Whether a text is an origin: `https://app.example`, with a port unless it is the default, or that of a web view or an extension. */
export function isOrigin(text: string): boolean {
  const url = parsedUrl(text);
  if (!url) return false;
  const { protocol, host, origin } = url;
  if (NOT_OF_PAGES.has(protocol) || host === '' || NOT_IN_HOSTS.test(host)) return false;
  // For other schemes, the URL standard does not define the origin, and browsers do: `capacitor://localhost`.
  return (origin === 'null' ? `${protocol}//${host}` : origin) === text;
}
