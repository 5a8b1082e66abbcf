// Fields that are read from bytes without decoding the whole document are those that decoding would find, byte for
// byte.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { picker } from '../../../src/engine/bson/pick.js';
import { elementOf, fields } from '../properties/bytes.js';
import { documentOf } from '../wire/raw-client.js';

const ID = elementOf('_id', [16, Buffer.from([1, 0, 0, 0])]);

/** The bytes of an element's name. */
const nameOf = (element: Buffer): string => element.toString('utf8', 1, element.indexOf(0, 1));

describe('picker', () => {
  it('a picker copies the elements with these names, of every type, in their order', () => {
    const property = fc.property(fields, fc.infiniteStream(fc.boolean()), (all, wanted) => {
      const elements = [ID, ...all];
      const names = new Set(elements.map(nameOf).filter(() => wanted.next().value));
      const kept = elements.filter((element) => names.has(nameOf(element)));
      expect(picker([...names])(documentOf(elements))).toEqual(documentOf(kept));
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('a picker does not confuse a name with another of the same beginning or length', () => {
    const document = documentOf(['a', 'ab', 'abc', 'abd'].map((name) => elementOf(name, [10, Buffer.alloc(0)])));
    expect(picker(['ab', 'abd', 'zzz'])(document)).toEqual(
      documentOf(['ab', 'abd'].map((name) => elementOf(name, [10, Buffer.alloc(0)]))),
    );
  });

  it('a picker refuses bytes in which an element exceeds the end of its document', () => {
    const whole = documentOf([elementOf('text', [2, Buffer.from('\x06\0\0\0hello\0', 'latin1')])]);
    const longer = Buffer.from(whole);
    longer[10] = 60;
    expect(picker(['text'])(whole)).toEqual(whole);
    expect(() => picker(['text'])(longer)).toThrow('Invalid BSON');
  });
});
