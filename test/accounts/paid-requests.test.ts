// Requests that a partner pays for take turns before they need the store or the node.
import { expect, it } from 'vitest';
import { Sponsorship, type SponsorshipParts } from '../../src/accounts/sponsorship.js';

it('16 requests that one partner pays for run at a time, and 1,000 wait', async () => {
  // None of its parts is used before a request has its turn.
  const sponsorship = new Sponsorship({} as SponsorshipParts);
  const ends: (() => void)[] = [];
  const ask = (partnerId: string) => sponsorship.admit(partnerId, () => new Promise<void>((end) => ends.push(end)));
  const asked = Array.from({ length: 1_016 }, () => ask('busy'));
  expect(ends).toHaveLength(16);
  await expect(ask('busy')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  const other = ask('other');
  expect(ends).toHaveLength(17);
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all([...asked, other]);
});
