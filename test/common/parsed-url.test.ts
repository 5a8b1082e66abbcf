// What is a URL is one also after many calls: a compiled `URL.canParse` of Node 20 refuses hosts in Latin-1.
import { expect, it } from 'vitest';
import { parsedUrl } from '../../src/common/parsed-url.js';

it('a text is a URL, or undefined', () => {
  expect(parsedUrl('https://a.example/b')?.hostname).toBe('a.example');
  expect(parsedUrl('../c', 'https://a.example/b/')?.href).toBe('https://a.example/c');
  expect(parsedUrl('a.example')).toBeUndefined();
  expect(parsedUrl('https://')).toBeUndefined();
});

it('a URL whose host is in Latin-1 is one after 50,000 calls, too', () => {
  let refused = 0;
  for (let n = 0; n < 50_000; n += 1) if (parsedUrl('https://münchen.example/') === undefined) refused += 1;
  expect(refused).toBe(0);
});
