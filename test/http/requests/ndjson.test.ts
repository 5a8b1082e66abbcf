// Streams are split into lines, wherever their chunks end.
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../../../src/http/requests/ndjson.js';

async function linesFrom(chunks: readonly Uint8Array[], maxLength = 1000): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(Readable.from(chunks), maxLength)) lines.push(line);
  return lines;
}

const bytes = (text: string) => [Buffer.from(text)];

describe('the lines of a stream', () => {
  it.each([
    ['nothing', '', []],
    ['one line without an end', 'a', ['a']],
    ['a line end at the end', 'a\nb\n', ['a', 'b']],
    ['CRLF ends', 'a\r\nb\r\n', ['a', 'b']],
    ['empty lines, which keep the numbers right', 'a\n\nb', ['a', '', 'b']],
  ])('the lines of a stream are read: %s', async (_, text, lines) =>
    expect(await linesFrom(bytes(text))).toEqual(lines),
  );

  it('the lines of a stream are the same wherever the chunks are cut, even inside a character', async () => {
    const text = 'één\n💠 zwei\r\n\n三';
    const whole = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(whole.length)), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const chunks = places.slice(1).map((end, at) => whole.subarray(places[at], end));
        expect(await linesFrom(chunks)).toEqual(['één', '💠 zwei', '', '三']);
      }),
    );
  });

  it('a line of a stream is cut to one character more than the longest allowed, and the next line is whole', async () => {
    const chunks = [...bytes('x'.repeat(7)), ...bytes('x'.repeat(50)), ...bytes('x\nnext')];
    expect(await linesFrom(chunks, 10)).toEqual(['x'.repeat(11), 'next']);
  });

  it('a line of a stream of exactly the longest length is whole, whatever its line end', async () => {
    expect(await linesFrom([...bytes('0123456789\r'), ...bytes('\n0123456789\n')], 10)).toEqual([
      '0123456789',
      '0123456789',
    ]);
  });
});
