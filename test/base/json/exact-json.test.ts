// JSON whose numbers do not change.
import { describe, expect, it } from 'vitest';
import { EVERYWHERE, readJson, writeExactly, writeJson } from '../../../src/base/json/exact-json.js';

const INEXACT = 'is a number that a double cannot hold exactly: write it as a text, or with fewer digits.';

describe('JSON is read', () => {
  it.each([
    ['{"a":{"b":[1,39e1804]}}', 'a.b[1]'],
    ['{"a":[[-9007199254740993]]}', 'a[0][0]'],
    ['[\n  0.5,\t1E400 ]', '[1]'],
    ['{"a\\"b":  18446744073709551615}', 'a"b'],
    ['{"":1e-999}', ''],
    [`{"text":"1e400","${'n'.repeat(300)}":1e400}`, 'n'.repeat(200)],
  ])('a number that a double cannot hold exactly is refused with its path: %s', (text, field) => {
    expect(() => readJson(text)).toThrow(
      expect.objectContaining({ message: `${field === '' ? 'The value' : `"${field}"`} ${INEXACT}` }),
    );
  });

  it('a number that a double cannot hold exactly is refused as the whole text', () => {
    for (const text of ['39e1804', ' -1e400', '9007199254740993'])
      expect(() => readJson(text)).toThrow(`The value ${INEXACT}`);
    expect(() => readJson('{"b":1e400}', { at: ['cell', 3] })).toThrow(`"cell[3].b" ${INEXACT}`);
  });

  it.each([
    '{"a":"1, 39e1804","b":["9007199254740993",": 1e400"]}',
    '{"a":"\\\\","b":", 1e400 \\" 1e400"}',
    '[1e22,1.5e-300,0.12345678901234567,9007199254740992,-0]',
    '{"a":1e400,"a":1}',
    '{"__proto__":{"b":12345678901234567890e-5}}',
  ])('JSON without such numbers is read unchanged, whatever its texts contain: %s', (text) => {
    const value = readJson(text);
    expect(value).toEqual(JSON.parse(text));
    expect(Object.getPrototypeOf(value)).toBe(Object.getPrototypeOf(JSON.parse(text)));
  });

  it('JSON is read without its byte order mark', () => {
    expect(readJson('\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(() => readJson('\ufeff\ufeff1')).toThrow(SyntaxError);
  });

  it('a value that is nested too deeply is refused', () => {
    expect(() => readJson(`${'['.repeat(50_000)}1e400${']'.repeat(50_000)}`)).toThrow('levels deep');
  });
});

describe('Integers beyond 2^53', () => {
  const text = '{"maximum":9223372036854775807,"minimum":-9223372036854775808,"enum":["9223372036854775807",1]}';

  it('integers beyond 2^53 are BigInts where allowed, and are written unchanged', () => {
    const value = readJson(text, EVERYWHERE);
    expect(value).toMatchObject({ maximum: 9223372036854775807n, enum: ['9223372036854775807', 1] });
    expect(writeJson(value)).toBe(text);
    expect(writeExactly(value, (other) => JSON.stringify(other, null, 1))).toContain('"maximum": 9223372036854775807,');
    expect(writeJson({ a: [1, 'x', null] })).toBe('{"a":[1,"x",null]}');
  });

  it('integers beyond 2^53 are refused elsewhere, and other inexact numbers everywhere', () => {
    const keeps = ([first]: readonly unknown[]) => first === 'document';
    expect(readJson('{"document":{"maximum":9007199254740993}}', { keeps })).toEqual({
      document: { maximum: 9007199254740993n },
    });
    expect(() => readJson('{"document":{"maximum":1e400}}', { keeps })).toThrow(`"document.maximum" ${INEXACT}`);
    expect(() => readJson('{"document":1,"n":9007199254740993}', { keeps })).toThrow(`"n" ${INEXACT}`);
  });
});
