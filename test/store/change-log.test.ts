// The log of changes: what was read before a change is out of date, and nothing else is.
import { describe, expect, it } from 'vitest';
import { ChangeLog, hashesOf } from '../../src/store/change-log.js';

const keys = (...of: string[]) => hashesOf(of);

describe('What was read', () => {
  it('before its key changed is out of date, and what was read after is not', () => {
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

  it('before other keys changed is as it was', () => {
    const log = new ChangeLog();
    const before = log.now;
    log.note(['issuers:b', 'programs']);
    expect(log.hasChanged(before, keys('issuers:a', 'issuers'))).toBe(false);
    expect(log.hasChanged(before, keys())).toBe(false);
  });

  it('before anything may have changed is out of date, whatever its keys', () => {
    const log = new ChangeLog();
    const before = log.now;
    log.noteAll();
    expect([log.hasChanged(before, keys()), log.hasChanged(log.now, keys('issuers:a'))]).toEqual([true, false]);
    log.note(['issuers:a']);
    expect(log.hasChanged(before, keys('programs:z'))).toBe(true);
  });

  it('before the oldest change that is remembered is out of date, and memory is bounded', () => {
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

  it('is remembered for keys that change again and again, however often', () => {
    const log = new ChangeLog();
    const before = log.now;
    for (let at = 0; at < 50_000; at += 1) log.note(['issuers:a']);
    expect([log.hasChanged(before, keys('issuers:b')), log.hasChanged(before, keys('issuers:a'))]).toEqual([
      false,
      true,
    ]);
  });
});
