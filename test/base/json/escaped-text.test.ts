// What JSON takes as it is, and which objects hold nothing else.
import { describe, expect, it } from 'vitest';
import { frozen, isPlain, quoted } from '../../../src/base/json/escaped-text.js';

describe('A text', () => {
  it('a text with any character is quoted as by JSON.stringify', () => {
    for (let code = 0; code <= 0xffff; code += 1) {
      const text = `a${String.fromCharCode(code)}b`;
      if (quoted(text) !== JSON.stringify(text)) expect.fail(`the character ${code} is written otherwise`);
    }
    for (const text of ['', '"', '\\', '\u{1f600}', '\ud83d', 'x'.repeat(10_000), '</script>\u2028'])
      expect(quoted(text)).toBe(JSON.stringify(text));
  });
});

describe('An object', () => {
  it('an object is plain when it is frozen and none of its texts needs escaping', () => {
    expect(isPlain(frozen({ name: 'one', tags: ['two', ['three']], count: 4, none: null }))).toBe(true);
    expect(isPlain({ name: 'one' })).toBe(false);
    expect(isPlain(Object.freeze({ name: 'one' }))).toBe(false);
    expect(isPlain(frozen({ name: 'a "one"' }))).toBe(false);
    expect(isPlain(frozen({ tags: ['two', ['\n']] }))).toBe(false);
    expect(Object.isFrozen(frozen({ name: '"' }))).toBe(true);
    expect(isPlain(frozen(Object.freeze({ name: 'one' })))).toBe(false);
  });

  it('whether an object is plain does not depend on objects inside it', () => {
    const object = frozen({ name: 'one', traction: { note: '"' } });
    expect(isPlain(object)).toBe(true);
    expect(isPlain(object.traction)).toBe(false);
  });

  it('a copy of a plain object is not plain, and has no visible mark', () => {
    const object = frozen({ name: 'one' });
    expect(isPlain({ ...object, name: '"' })).toBe(false);
    expect(Reflect.ownKeys({ ...object })).toEqual(['name']);
    expect(object).toEqual({ name: 'one' });
  });
});
