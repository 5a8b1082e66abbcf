// docs/guarantees.md: every promise has a test, and the test is where the page says, under its name. Every section of limits.md has a part.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { anchorsOf, linksOf } from './support/markdown.js';

const PAGE = 'docs/guarantees.md';
const LIMITS = 'docs/limits.md';
/** Parts of a name: the title of its group, if one is needed, and of the test. */
const SEPARATOR = ' › ';

const read = (file: string): string => readFileSync(file, 'utf8');
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a test file calls `it` or `describe`, `.each` and the like included, with this title. */
function hasTitle(source: string, call: 'it' | 'describe', title: string): boolean {
  const calls = `\\b${call}(?:\\.\\w+)*(?:<[^()]*>)?\\(`;
  const direct = new RegExp(`${calls}\\s*(['"\`])${escaped(title)}\\1`);
  // `it.each(<table>)('title'`: the table may be anything.
  const curried = new RegExp(`\\)\\(\\s*(['"\`])${escaped(title)}\\1`);
  return direct.test(source) || (source.includes(`${call}.`) && curried.test(source));
}

const promises = [...read(PAGE).matchAll(/\[([^\]]+)\]\((\.\.\/test\/[^)]+\.test\.ts)\)/g)].map(
  ([, name = '', link = '']) => ({ name, file: link.replace('../', '') }),
);

it('The page names many tests, and each promise has one', () => {
  expect(promises.length).toBeGreaterThan(100);
  const rows = read(PAGE)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (promise|limit) \| test \|$/.test(line));
  expect(rows.filter((row) => !/\| \[[^\]]+\]\(\.\.\/test\/[^)]+\.test\.ts\) \|$/.test(row))).toEqual([]);
});

it('Each test that is named is in its file', () => {
  const missing = promises.filter(({ name, file }) => {
    if (!existsSync(file)) return true;
    const source = read(file);
    const titles = name.split(SEPARATOR);
    const test = titles.pop() ?? '';
    return !hasTitle(source, 'it', test) || titles.some((title) => !hasTitle(source, 'describe', title));
  });
  expect(missing).toEqual([]);
});

it('Every section of limits has its part, and the README leads here', () => {
  const links = linksOf(PAGE).filter(({ target }) => target === LIMITS);
  const parts = new Set(links.map(({ anchor }) => anchor));
  const [, ...sections] = anchorsOf(LIMITS);
  expect(sections.filter((section) => !parts.has(section))).toEqual([]);
  expect(linksOf('README.md').map(({ target }) => target)).toContain(PAGE);
});
