// The log of changes: what was read before a change of the same data is out of date, and nothing else is.
import { describe, expect, it } from 'vitest';
import { ChangeLog, hashesOf } from '../../src/store/change-log.js';

const keys = (...of: string[]) => hashesOf(of);

describe('What was read', () => {
  it('a read from before its key changed is stale, and one from after is not', () => {
    const log = new ChangeLog();
    const before = log.now;
    log.note(['issuers:a', 'issuers']);
    const after = log.now;
    expect([log.hasChanged(before, keys('issuers:a')), log.hasChanged(after, keys('issuers:a'))]).toEqual([
      true,
      false,
    ]);
    log.note(['issuers:b']);
    expect(log.hasChanged(after, keys('issuers:a', 'issuers'))).toBe(false);
    expect(log.hasChanged(after, keys('issuers:a', 'issuers:b'))).toBe(true);
  });

  it('a read from before other keys changed is valid', () => {
    const log = new ChangeLog();
    const before = log.now;
    log.note(['issuers:b', 'programs']);
    expect(log.hasChanged(before, keys('issuers:a', 'issuers'))).toBe(false);
    expect(log.hasChanged(before, keys())).toBe(false);
  });

  it('a read from before anything may have changed is stale, whatever its keys', () => {
    const log = new ChangeLog();
    const before = log.now;
    log.noteAll();
    expect([log.hasChanged(before, keys()), log.hasChanged(log.now, keys('issuers:a'))]).toEqual([true, false]);
    log.note(['issuers:a']);
    expect(log.hasChanged(before, keys('programs:z'))).toBe(true);
  });

  it('a read from before the oldest stored change is stale, and memory is bounded', () => {
    const log = new ChangeLog();
    const before = log.now;
    for (let at = 0; at < 15_000; at += 1) log.note([`issuers:${at}`]);
    expect(log.hasChanged(before, keys('programs:z'))).toBe(false);
    const recent = log.now;
    for (let at = 15_000; at < 21_000; at += 1) log.note([`issuers:${at}`]);
    expect(log.hasChanged(before, keys('programs:z'))).toBe(true);
    expect(log.hasChanged(recent, keys('programs:z', 'issuers:14999'))).toBe(false);
    expect(log.hasChanged(recent, keys('issuers:20999'))).toBe(true);
  });

  it('keys that change again and again are stored once', () => {
    const log = new ChangeLog();
    const before = log.now;
    for (let at = 0; at < 50_000; at += 1) log.note(['issuers:a']);
    expect([log.hasChanged(before, keys('issuers:b')), log.hasChanged(before, keys('issuers:a'))]).toEqual([
      false,
      true,
    ]);
  });
});
