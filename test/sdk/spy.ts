// What a script in the page can read: the port of the library's connection, every message, storage and the document.
import type { Page } from 'playwright-core';

/** Runs before the library: keeps the port of its connection, and every message that reaches the page. */
export const SPY = `
  window.received = [];
  const start = MessagePort.prototype.start;
  MessagePort.prototype.start = function () {
    window.port = this;
    this.addEventListener('message', ({ data }) => received.push(data));
    return start.call(this);
  };
  addEventListener('message', ({ data }) => received.push(data));`;

/** All of that, as text. */
export const seenBy = (page: Page): Promise<string> =>
  page.evaluate(
    'JSON.stringify([received, { ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
  );

/** A text in twelve encodings: as it is, and in the forms that its bytes have within base64. */
export function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const raw = Buffer.from(secret, 'base64url');
  return [
    ...[secret, bytes.toString('base64'), bytes.toString('hex'), encodeURIComponent(secret)],
    ...[raw.toString('base64'), raw.toString('hex'), raw.toString('latin1'), [...secret].reverse().join('')],
    ...[[...bytes].join(','), [...raw].join(','), bytes.toString('utf16le'), secret.toUpperCase()],
  ];
}
