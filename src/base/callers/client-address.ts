// Addresses of clients, as a socket or a proxy reports them: one form for every limit, so that one client is one address.
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address of all clients whose address is unknown: together they have the limits of one client. */
export const UNKNOWN_ADDRESS = 'unknown';

/** Longer than any address, with all that a proxy may add. */
const MAX_WRITTEN = 100;
/** An address with a port, which may be a name (RFC 7239 §6), or an address in brackets, with or without a port. */
const WITH_PORT = /^\[(.*)\](?::[\w.-]+)?$|^([\d.]+):[\w.-]+$/;

/**
 * The IP address that a socket or a proxy reports: without port, brackets, the quotes of `Forwarded` (RFC 7239), and zone (RFC 4007); IPv4 also
 * where IPv6 contains it (RFC 4291 §2.5.5.2); IPv6 in the form of RFC 5952. `unknown` for anything else.
 */
export function clientAddress(written: string | undefined): string {
  if (written === undefined || written.length > MAX_WRITTEN) return UNKNOWN_ADDRESS;
  // The usual case skips the parser, because this runs for each request.
  if (isIPv4(written)) return written;
  const unquoted = written.trim().replace(/^"(.*)"$/, '$1');
  const [, bracketed, dotted] = WITH_PORT.exec(unquoted) ?? [];
  const [address = ''] = (bracketed ?? dotted ?? unquoted).split('%');
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return UNKNOWN_ADDRESS;
  return ipaddr.process(address).toString();
}

/** The network that counts as one client: an IPv6 client can use a whole /64 (RFC 4291 §2.5.4). */
export function networkOf(written: string): string {
  const address = clientAddress(written);
  if (!address.includes(':')) return address;
  return ipaddr.IPv6.parse(address).parts.slice(0, 4).join(':');
}
