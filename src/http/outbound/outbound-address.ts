// Which outbound addresses the gateway may call (contract §3, "Outbound addresses"): public https only; in the sandbox also http(s) to
// its own loopback. Two checks: the spelling of the URL, and the IP address that is connected to.
import ipaddr from 'ipaddr.js';
import { parsedUrl } from '../../common/parsed-url.js';

/** Why an address is refused; the message is for a person and names no address. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

/** The addresses that the environment allows. */
export interface OutboundPolicy {
  /** The sandbox also allows loopback, over http too. */
  allowLoopback: boolean;
  /** Also allows addresses of private networks, and http: for URLs that only the operator sets. Link-local addresses, which serve metadata, stay refused. */
  allowInternal?: boolean;
}

/** Public addresses that are reachable only from inside one cloud: its agents and metadata services. */
const CLOUD_SERVICES = new Set(['168.63.129.16']);
/** Global unicast, RFC 4291 §2.4: no other IPv6 address is on the internet. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
const MAX_URL = 2_000;
/** Everything between the scheme and the path, as written. */
const AUTHORITY = /^https?:\/\/([^/?#]+)/i;

/** Whether an IP address is loopback; an IPv6 address that maps to a loopback one does not count. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback';
}

/** Whether an IP address is on the public internet: not private, link-local, shared (CGNAT), multicast, mapped, translated. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || CLOUD_SERVICES.has(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_V6);
}

const INTERNAL: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'loopback']);
const isInternalAddress = (address: string): boolean =>
  ipaddr.isValid(address) && INTERNAL.has(ipaddr.parse(address).range());

/** Whether a connection may be made to an IP address for a URL. */
export function isAllowedAddress(url: URL, address: string, { allowLoopback, allowInternal }: OutboundPolicy): boolean {
  if (allowInternal && isInternalAddress(address)) return true;
  return allowLoopback && isLoopbackHost(url) ? isLoopbackAddress(address) : isPublicAddress(address);
}

/**
 * Parses a registered URL and checks everything that can be checked without resolving its name.
 * @throws OutboundRefused with a sentence that says what is wrong.
 */
export function checkOutboundUrl(text: string, policy: OutboundPolicy): URL {
  const url = text.length > MAX_URL ? undefined : parsedUrl(text);
  if (!url) throw new OutboundRefused('is not a URL.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new OutboundRefused('must be an https address.');
  if (url.username !== '' || url.password !== '') {
    throw new OutboundRefused('must not hold a user name or password.');
  }
  if (url.hash !== '') throw new OutboundRefused('must not hold a fragment.');
  checkSpelling(text, url);
  const loopback = isLoopbackHost(url);
  if (url.protocol === 'http:' && !(loopback && policy.allowLoopback) && !policy.allowInternal) {
    throw new OutboundRefused('must be an https address.');
  }
  const literal = literalAddress(url);
  const isNamed = literal === undefined && !loopback;
  if (!isNamed && !isAllowedAddress(url, literal ?? '127.0.0.1', policy)) {
    throw new OutboundRefused('must not be on a private, local or reserved address.');
  }
  return url;
}

// 0x7f.1, 017700000001 and 2130706433 all mean 127.0.0.1: such a spelling hides the address. Names in other scripts must be
// written in punycode, because some of their digits and dots fold to ASCII ones.
function checkSpelling(text: string, url: URL): void {
  const written = AUTHORITY.exec(text)?.[1]?.toLowerCase() ?? '';
  const port = url.protocol === 'https:' ? '443' : '80';
  if (written !== url.host && written !== `${url.host}:${port}`) {
    throw new OutboundRefused('must have its host written in the usual form.');
  }
}

/** The IP address that a URL has instead of a name, without brackets; undefined for a name. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(host) ? host : undefined;
}

/** Whether a URL openly names this machine: `localhost` or a literal loopback address. A name that resolves to it does not count. */
export function isLoopbackHost(url: URL): boolean {
  const literal = literalAddress(url);
  return url.hostname === 'localhost' || (literal !== undefined && isLoopbackAddress(literal));
}
