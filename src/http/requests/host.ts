// Checks the host of a request.
import type { IncomingMessage } from 'node:http';

/** A name or an address, perhaps with a port (RFC 3986 §3.2, without the user); empty where a target has none. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Why the host of a request is refused (RFC 9112 §3.2). If there are several, a proxy before this server may have used
 * another one: Node keeps the first, and drops the rest from `headers`.
 */
export function hostFault({ rawHeaders, headers: { host = '' } }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return 'A request has one "host" header.';
  return HOST.test(host) ? undefined : 'The "host" header must be a name or an address, with a port at most.';
}
