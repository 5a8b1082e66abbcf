// A file that is not JSON is told to its owner with the place, whatever words the JavaScript engine has for it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonTextError, parseJsonText } from '../../src/cli/json-text.js';

function faultOf(text: string): JsonTextError {
  try {
    parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonTextError) return error;
    throw error;
  }
  throw new Error(`${text} is JSON`);
}

describe('text that is not JSON', () => {
  it.each([
    ['{"a": x}', 6],
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ['{a: 1}', 1],
    ['[1 2]', 3],
    ['[1,]', 3],
    ['[01]', 1],
    ['["a\tb"]', 3],
    ['["\\x"]', 2],
    ['{"a": 1} 2', 9],
    ['[1', 2],
    ['{"a', 3],
    ['{"a": ', 5],
    ['nul', 0],
    [']', 0],
    ['{"a": [}', 7],
    ['{"a": {]', 7],
  ])('the fault in %s is at position %i', (text, position) => expect(faultOf(text.trimEnd()).position).toBe(position));

  it('a fault in JSON text is reported by line and column', () => {
    expect(faultOf('{\n  "a": 1\n  "b": 2\n}').message).toBe('is not JSON: the fault is at line 3, column 3');
    expect(faultOf('{\n  "a": 1,').message).toBe('is not JSON: it ends too early, at line 2, column 10');
    expect(faultOf(' \n').message).toBe('is empty');
  });

  it('a fault in JSON text is found no later than where it is, and never in valid text', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, at) => {
        const cut = at % text.length;
        const damaged = `${text.slice(0, cut)}\u0001${text.slice(cut)}`;
        // A control character fits nowhere, so nothing before it and nothing behind it is at fault; a scalar or an escape is, as a whole.
        const { position } = faultOf(damaged);
        expect(position).toBeLessThanOrEqual(cut);
        expect(damaged.slice(position, cut)).toMatch(/^(?:[-+.\w]*|\\u?[0-9a-fA-F]*)$/);
      }),
      { numRuns: 500 },
    );
  });

  it('JSON text is read at any depth without overflow', () =>
    expect(faultOf('['.repeat(200_000)).position).toBe(200_000));
});

describe('JSON', () => {
  it('JSON text may begin with a byte order mark', () => expect(parseJsonText('\uFEFF{"a": 1}')).toEqual({ a: 1 }));
});
