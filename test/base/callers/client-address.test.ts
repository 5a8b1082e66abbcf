// Addresses of clients: what sockets and proxies write is one form for one client, and what is no address is one stranger.
import { describe, expect, it } from 'vitest';
import { clientAddress, networkOf, UNKNOWN_ADDRESS } from '../../../src/base/callers/client-address.js';

const IPV4 = '203.0.113.8';
const IPV6 = '2001:db8::8';

describe('An address', () => {
  it.each([
    IPV4,
    `${IPV4}:50001`,
    `${IPV4}:_port`,
    ` ${IPV4} `,
    `"${IPV4}"`,
    `"${IPV4}:50001"`,
    `::ffff:${IPV4}`,
    `::FFFF:${IPV4}`,
    '::ffff:cb00:7108',
    '0:0:0:0:0:ffff:cb00:7108',
    `[::ffff:${IPV4}]`,
    `[::ffff:${IPV4}]:50001`,
    `"[::ffff:${IPV4}]:50001"`,
    `::ffff:${IPV4}%eth0`,
  ])('an IPv4 address is the same as %j', (written) => {
    expect(clientAddress(written)).toBe(IPV4);
    expect(networkOf(written)).toBe(IPV4);
  });

  it.each([
    IPV6,
    '2001:DB8::8',
    '2001:0db8:0000:0000:0000:0000:0000:0008',
    '2001:db8:0:0::8',
    `[${IPV6}]`,
    `[${IPV6}]:50001`,
    `[${IPV6}]:_obfuscated`,
    `"[${IPV6}]"`,
    `"[${IPV6}]:4711"`,
    `${IPV6}%eth0`,
    `[${IPV6}%25eth0]:4711`,
  ])('an IPv6 address is the same as %j', (written) => {
    expect(clientAddress(written)).toBe(IPV6);
    expect(networkOf(written)).toBe(networkOf('2001:db8::ffff:ffff:ffff:ffff'));
    expect(networkOf(written)).not.toBe(networkOf('2001:db8:0:1::8'));
  });

  it.each([
    undefined,
    '',
    'unknown',
    '_hidden',
    'localhost',
    'gateway.example:443',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.008',
    '0x7f000001',
    '2130706433',
    '203.0.113.8:50001:1',
    '203.0.113.8/24',
    '[203.0.113.8',
    '2001:db8:::8',
    '2001:db8::8]:443',
    '1:2:3:4:5:6:7:8:9',
    '%eth0',
    '""',
    '[]',
    '[]:443',
    'for=203.0.113.8',
    `${'['.repeat(5_000)}${']:a'.repeat(5_000)}`,
  ])('%j is no address, so it counts as unknown', (written) => {
    expect(clientAddress(written)).toBe(UNKNOWN_ADDRESS);
    expect(networkOf(written ?? '')).toBe(UNKNOWN_ADDRESS);
  });

  it('a client address does not change when it is parsed again', () => {
    for (const written of [IPV4, IPV6, '::1', '::', 'fe80::1%eth0', '64:ff9b::203.0.113.8', 'nothing']) {
      const address = clientAddress(written);
      expect(clientAddress(address)).toBe(address);
    }
  });
});
