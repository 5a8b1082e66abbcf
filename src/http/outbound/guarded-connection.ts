// Connections to addresses that others registered. The address is checked, and the connection goes to exactly this
// address.
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import { GuardedFetchError, tooSlow, unreachable } from './guarded-fetch-error.js';
import { isAllowedAddress, literalAddress, type OutboundPolicy } from './outbound-address.js';
import type { ResolveName } from './resolve-name.js';

/** Every address of a name must be allowed, because the resolver decides which comes first. */
export async function checkedAddress(url: URL, policy: OutboundPolicy, resolve: ResolveName): Promise<string> {
  const literal = literalAddress(url);
  const addresses = literal === undefined ? await resolved(url.hostname, resolve) : [literal];
  const [first] = addresses;
  if (first === undefined) throw new GuardedFetchError('The name does not resolve.', 'connect');
  if (!addresses.every((address) => isAllowedAddress(url, address, policy)))
    throw new GuardedFetchError('The name resolves to an address that is not public.', 'refused');
  // Prefers the IPv4 address of a dual-stack name: a machine without IPv6 cannot reach the other.
  return addresses.find((address) => net.isIPv4(address)) ?? first;
}

async function resolved(hostname: string, resolve: ResolveName): Promise<string[]> {
  try {
    return await resolve(hostname);
  } catch (cause) {
    throw new GuardedFetchError('The name does not resolve.', 'connect', { cause });
  }
}

/** Connects to the checked address, not to the name, and checks the peer's address again before a byte is sent. */
export function connect(url: URL, address: string, signal: AbortSignal): Promise<Socket> {
  const secure = url.protocol === 'https:';
  const port = Number(url.port) || (secure ? 443 : 80);
  const socket = secure
    ? tls.connect({ host: address, port, ...serverName(url), ALPNProtocols: ['http/1.1'] })
    : net.connect({ host: address, port });
  return new Promise((resolve, reject) => {
    const fail = (error: GuardedFetchError): void => {
      socket.destroy();
      reject(error);
    };
    // This listener stays on the socket, so that an error after the promise has resolved is not unhandled.
    socket.on('error', (cause) => fail(unreachable(cause)));
    signal.addEventListener('abort', () => fail(tooSlow()), { once: true });
    socket.once('connect', () => {
      if (!sameAddress(socket.remoteAddress, address)) fail(unreachable(new Error('connected elsewhere')));
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => resolve(socket));
  });
}

// SNI takes only names; for a literal address, the certificate is checked against the address.
const serverName = (url: URL): { servername?: string } =>
  literalAddress(url) === undefined ? { servername: url.hostname } : {};

function sameAddress(remote: string | undefined, address: string): boolean {
  const family = net.isIPv6(address) ? 'ipv6' : 'ipv4';
  if (remote === undefined || net.isIPv6(remote) !== net.isIPv6(address)) return false;
  const list = new net.BlockList();
  list.addAddress(address, family);
  return list.check(remote, family);
}
