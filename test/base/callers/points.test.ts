// Buckets of points: what a caller may ask for, what comes back with time, what is given back.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ANONYMOUS, type Caller } from '../../../src/base/callers/caller.js';
import { bucketOf, Charge, outOfPoints, Points } from '../../../src/base/callers/points.js';
import type { Bucket } from '../../../src/base/concurrency/bucket.js';

const clock = { now: 1_000_000 };
const now = (): number => clock.now;
const bucket = (perSecond = 10): Bucket => bucketOf(perSecond, now);
const retryAfter = (of: Bucket, points: number): unknown => outOfPoints(of, points).data.retryAfter;
const points = (): Points => new Points({ requestPoints: 10, partnerRequestPoints: 100 }, now);
const partner = (partnerId: string): Caller => ({
  kind: 'partner',
  partnerId,
  scopes: [],
  claims: {},
  kid: 'key',
  expiresAt: 0,
});
const holder = (holderId: string): Caller => ({ kind: 'holder', holderId, sessionId: 's', expiresAt: 0 });

describe('A bucket', () => {
  it('a bucket saves the points of five seconds and no more, and refills with time', () => {
    const own = bucket();
    expect([own.take(25), own.take(25), own.take(1)]).toEqual([true, true, false]);
    clock.now += 300;
    expect([own.take(3), own.take(1)]).toEqual([true, false]);
    clock.now += 3_600_000;
    expect(own.left).toBe(50);
  });

  it('a bucket returns in whole seconds when it has so many points again', () => {
    const own = bucket();
    own.take(50);
    expect([retryAfter(own, 1), retryAfter(own, 11), retryAfter(own, 1_000)]).toEqual([1, 2, 3]);
  });

  it('a bucket may owe the points of completed work, up to its capacity', () => {
    const own = bucket();
    own.spend(1_000);
    expect([own.left, own.take(1), retryAfter(own, 1)]).toEqual([-50, false, 6]);
  });

  it('a half-full bucket accepts a request of more than half of its capacity, and then owes the rest', () => {
    const own = bucket();
    own.take(20);
    expect([own.take(80), own.left, own.take(80)]).toEqual([true, -50, false]);
    own.giveBack(74);
    expect([own.left, own.take(80)]).toEqual([24, false]);
  });

  it('a bucket never has more than its capacity after a refund, and loses nothing when the clock is set back', () => {
    const own = bucket();
    own.giveBack(10);
    clock.now -= 10_000;
    expect(own.left).toBe(50);
    own.take(20);
    clock.now -= 10_000;
    expect(own.left).toBe(30);
  });
});

describe('A charge', () => {
  it('a charge reports the requested, actual and remaining points', () => {
    const charge = new Charge(bucket());
    charge.take(30);
    charge.spend(2);
    charge.giveBack(20);
    const resetAt = new Date(5_000 + 1_200).toISOString();
    expect(charge.summary(5_000)).toEqual({ requested: 32, actual: 12, remaining: 38, resetAt });
  });

  it('a refused charge costs only the refusal, and says when to try again', () => {
    const own = bucket();
    own.take(45);
    const charge = new Charge(own);
    expect(() => charge.take(26)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED', data: { retryAfter: 3 } }));
    expect(own.left).toBe(1);
  });
});

describe('The buckets of a process', () => {
  it('each address, IPv6 network, holder and partner has a bucket; the operator has none', () => {
    const all = points();
    all.of(ANONYMOUS, '192.0.2.1')?.spend(50);
    all.of(ANONYMOUS, '2001:db8:0:7::1')?.spend(50);
    all.of(partner('p'), '192.0.2.1')?.spend(400);
    const left = (caller: Caller, address: string) => all.of(caller, address)?.left;
    expect([left(ANONYMOUS, '192.0.2.1'), left(ANONYMOUS, '::ffff:192.0.2.1')]).toEqual([0, 0]);
    expect([left(ANONYMOUS, '192.0.2.2'), left(ANONYMOUS, '2001:db8:0:7::9')]).toEqual([50, 0]);
    expect([left(ANONYMOUS, '2001:db8:0:8::1'), left(partner('p'), '192.0.2.9')]).toEqual([50, 100]);
    expect([left(partner('q'), '192.0.2.1'), left(holder('h'), '192.0.2.1')]).toEqual([500, 50]);
    expect(left({ kind: 'operator', keyName: 'configured', role: 'all' }, '192.0.2.1')).toBeUndefined();
  });

  it('buckets are bounded: with very many callers, the one that was silent longest starts with a new one', () => {
    const all = points();
    all.of(ANONYMOUS, '192.0.2.1')?.spend(50);
    all.of(ANONYMOUS, '192.0.2.2')?.spend(50);
    for (let other = 0; other < 19_999; other += 1) {
      all.of(ANONYMOUS, `10.0.${other >> 8}.${other & 255}`);
      if (other === 19_000) all.of(ANONYMOUS, '192.0.2.2');
    }
    expect([all.of(ANONYMOUS, '192.0.2.1')?.left, all.of(ANONYMOUS, '192.0.2.2')?.left]).toEqual([50, 0]);
  });

  it('callers are busy for a quarter of a second after each asks; operators are not', () => {
    let at = 5_000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => at);
    onTestFinished(() => clock.mockRestore());
    const all = points();
    all.of({ kind: 'operator', keyName: 'configured', role: 'all' }, '192.0.2.1');
    expect(all.isBusy).toBe(false);
    for (const caller of [ANONYMOUS, partner('p'), holder('h')]) {
      all.of(caller, '192.0.2.1');
      expect(all.isBusy).toBe(true);
      at += 249;
      expect(all.isBusy).toBe(true);
      at += 1;
      expect(all.isBusy).toBe(false);
    }
  });
});
