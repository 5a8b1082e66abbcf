// Presentations have one spelling; anything else is refused without being repeated.
import { describe, expect, it } from 'vitest';
import {
  decodePresentation,
  encodePresentation,
  MAX_PRESENTATION,
  type Presentation,
  PresentationError,
  toBase64url,
} from '../../src/zk/index.js';

const PRESENTATION: Presentation = {
  v: 1,
  suite: 'core-zk-1',
  verificationId: '7d4f0f5e-3e7e-4c5b-9a43-0f4f2a9e3a11',
  nonce: toBase64url(new Uint8Array(32)),
  now: '2026-11-22T10:00:00.000Z',
  partnerId: 'p',
  programId: 'g',
  programVersion: 'ab'.repeat(32),
  credentialId: 'c',
  schemaId: 'https://example.org/é',
  schemaVersion: 1,
  kid: 'k',
  sides: [['age', 'below', 'above']],
  commitment: toBase64url(new Uint8Array(48)),
  proof: toBase64url(new Uint8Array([1, 2, 3])),
};
const textOf = (json: string): string => toBase64url(new TextEncoder().encode(json));
const jsonOf = (text: string): string => Buffer.from(text, 'base64url').toString();
const written = (changes: object): string =>
  textOf(jsonOf(encodePresentation({ ...PRESENTATION, ...changes } as never)));

describe('A presentation', () => {
  it('a presentation is parsed from its text', () => {
    expect(decodePresentation(encodePresentation(PRESENTATION))).toEqual(PRESENTATION);
  });

  it('a presentation is base64url of RFC 8785', () => {
    const json = jsonOf(encodePresentation(PRESENTATION));
    expect(Object.keys(JSON.parse(json))).toEqual(Object.keys(PRESENTATION).sort());
    expect(json).toBe(JSON.stringify(JSON.parse(json)));
  });

  const good = jsonOf(encodePresentation(PRESENTATION));
  it.each<[string, string]>([
    ['nothing', ''],
    ['padding', `${encodePresentation(PRESENTATION)}=`],
    ['another alphabet', `${encodePresentation(PRESENTATION).slice(0, -1)}+`],
    ['space', ` ${encodePresentation(PRESENTATION)}`],
    ['a spare bit', `${encodePresentation({ ...PRESENTATION, kid: 'kk' }).slice(0, -1)}_`],
    ['other text than JSON', textOf('{')],
    ['bytes that are no UTF-8', toBase64url(new Uint8Array([0xff, 0xfe]))],
    ['a byte order mark', textOf(`\ufeff${good}`)],
    ['a list', textOf('[]')],
    ['null', textOf('null')],
    ['members in another order', textOf(JSON.stringify(PRESENTATION))],
    ['spaces in its JSON', textOf(good.replace('{', '{ '))],
    ['an escape that is not needed', textOf(good.replace('"k"', '"\\u006b"'))],
    ['another spelling of a number', textOf(good.replace('"v":1', '"v":1.0'))],
    ['a member twice', textOf(good.replace('"v":1', '"v":1,"v":1'))],
    ['a member more', written({ expiresAt: '2026-11-22T10:10:00.000Z' })],
    ['__proto__', textOf(good.replace('"v":1', '"v":1,"__proto__":{}'))],
    ['a member less', textOf(good.replace('"kid":"k",', ''))],
    ['another version', written({ v: 2 })],
    ['another suite', written({ suite: 'core-zk-2' })],
    ['a nonce of 31 bytes', written({ nonce: toBase64url(new Uint8Array(31)) })],
    ['a time in another form', written({ now: '2026-11-22T10:00:00Z' })],
    ['a schema version that is none', written({ schemaVersion: 1.5 })],
    ['a side that is none', written({ sides: [['age', 'beside']] })],
    ['sides of no field', written({ sides: [[]] })],
    ['a commitment of 47 bytes', written({ commitment: toBase64url(new Uint8Array(47)) })],
    ['an empty proof', written({ proof: '' })],
    ['half a surrogate pair', textOf(good.replace('"k"', '"\\ud800"'))],
    ['too many characters', 'A'.repeat(MAX_PRESENTATION + 1)],
    ['a megabyte', 'A'.repeat(1 << 20)],
    ['nesting', textOf('['.repeat(20_000))],
  ])('a presentation with %s is refused', (_name, text) => {
    expect(() => decodePresentation(text)).toThrow(PresentationError);
  });
});
