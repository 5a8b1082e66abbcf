// What texts of others hide is shown on screens.
import { expect, it } from 'vitest';
import { visibleText } from '../../../src/wallet/visible-text.js';

it.each([
  ['a control of direction', 'pay \u202Eeno', 'pay ⟨U+202E⟩eno'],
  ['an isolate', 'a\u2066b\u2069', 'a⟨U+2066⟩b⟨U+2069⟩'],
  ['a space without width', 'ok\u200B', 'ok⟨U+200B⟩'],
  ['a space that does not break', '1\u00A0000', '1⟨U+00A0⟩000'],
  ['a tag', 'a\u{E0041}', 'a⟨U+E0041⟩'],
  ['a filler', '\u3164', '⟨U+3164⟩'],
  ['a selector after a letter', 'a\uFE0F', 'a⟨U+FE0F⟩'],
  ['a return that hides a line', 'bad\rgood', 'bad⟨U+000D⟩good'],
])('%s is shown by its number', (_name, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it.each(['Grüße, 2 Zeilen\nund mehr', '中文 نص עברית', '👨‍👩‍👧 ❤️', 'e\u0301'])('%s stays as it is', (text) => {
  expect(visibleText(text)).toBe(text);
});
