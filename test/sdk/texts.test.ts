// Every language of the wallet has every text.
import { expect, it } from 'vitest';
import { textsOf } from '../../src/wallet/texts.js';
import { de } from '../../src/wallet/texts-de.js';

/** The paths of texts, with how many values each takes. */
const pathsOf = (texts: object, path = ''): string[] =>
  Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'object' && text !== null
      ? pathsOf(text, `${path}${name}.`)
      : [`${path}${name} ${typeof text === 'function' ? text.length : typeof text}`],
  );

it.each([['de', de]])('%s has every text of English, with the same values, and no other', (_locale, translation) => {
  const [english, own] = [pathsOf(textsOf('en')), pathsOf(translation)];
  expect({
    lacks: english.filter((path) => !own.includes(path)),
    has: own.filter((path) => !english.includes(path)),
  }).toEqual({ lacks: [], has: [] });
});

it('a locale shows its language, and English where there is none', () => {
  expect(textsOf('de-AT').close).toBe('Schließen');
  expect(textsOf('DE').email.title('Rent')).toBe('Bei Rent anmelden');
  for (const locale of ['fr', 'en-GB', 'x', '']) expect(textsOf(locale).close).toBe('Close');
});
