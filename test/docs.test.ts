// The documentation holds: links lead somewhere, the readme is short, and what code and pages say about each other is there.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './support/imports.js';
import { anchorsOf, linksOf, markdownPages, proseOf } from './support/markdown.js';

const PAGES = markdownPages();
const MAX_README_WORDS = 1_200;
const MAX_README_LINE = 120;
const MAX_PICTURE_BYTES = 150_000;
const MAX_DECISION_WORDS = 450;

const read = (file: string): string => readFileSync(file, 'utf8');
const wordsOf = (file: string): number => read(file).split(/\s+/).filter(Boolean).length;
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

describe('The pages', () => {
  const links = PAGES.flatMap(linksOf);

  it('are read: there are many, with many links', () => {
    expect(PAGES).toContain('README.md');
    expect(links.length).toBeGreaterThan(100);
  });

  it('have no link to a file that is not there', () => {
    const broken = links.filter(({ target }) => !existsSync(target));
    expect(broken.map(({ page, written }) => `${page}: ${written}`)).toEqual([]);
  });

  it('have no link to a heading that is not there', () => {
    const broken = links.filter(
      ({ target, anchor }) =>
        anchor !== undefined && target.endsWith('.md') && existsSync(target) && !anchorsOf(target).includes(anchor),
    );
    expect(broken.map(({ page, written }) => `${page}: ${written}`)).toEqual([]);
  });

  it('name no source file that is not there, but those that a recipe makes', () => {
    const named = PAGES.filter((page) => !page.endsWith('adding-a-domain.md')).flatMap((page) =>
      matches(proseOf(page), /`((?:src|test|bench|tools|examples)\/[\w./-]*\w\.(?:ts|mjs|txt))`/g).map((file) => ({
        page,
        file,
      })),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ file }) => !existsSync(file))).toEqual([]);
  });

  it('name no file for a private key that could be committed by mistake', () => {
    const named = PAGES.flatMap((page) => matches(read(page), /(?:--key-file |\bPROVIDER=)([\w-]+\.json)/g));
    expect([...new Set(named)]).toEqual(expect.arrayContaining(['partner.json', 'provider.json']));
    const ignored = read('.gitignore').split('\n');
    expect(named.filter((file) => !ignored.includes(file))).toEqual([]);
  });

  it('name no result file of issue-batch that could be committed by mistake', () => {
    const named = PAGES.flatMap((page) => matches(read(page), /`people\.csv(?:\.<name>)?(\.\w+\.csv)`/g));
    expect(new Set(named)).toEqual(new Set(['.result.csv', '.check.csv', '.offers.csv']));
    const ignored = read('.gitignore').split('\n');
    expect(named.filter((end) => !ignored.includes(`*${end}`))).toEqual([]);
  });

  it('show no import in a recipe that the sources do not export', () => {
    const imports = PAGES.filter((page) => page.includes('adding-a-')).flatMap((page) =>
      [...read(page).matchAll(/^import (?:type )?\{ (.+) \} from '\.\.\/(.+)\.js';$/gm)].map(
        ([, names = '', file]) => ({
          names: names.split(', ').map((name) => name.replace('type ', '')),
          source: ['src', 'test'].map((root) => `${root}/${file}.ts`).find(existsSync),
          file,
        }),
      ),
    );
    expect(imports.length).toBeGreaterThan(8);
    const missing = imports.flatMap(({ names, source, file }) => {
      const text = source === undefined ? '' : read(source);
      return names
        .filter((name) => !new RegExp(`^export .*\\b${name}\\b`, 'm').test(text))
        .map((name) => `${name} of ${file}`);
    });
    expect(missing).toEqual([]);
  });

  it('draw every folder of the sources', () => {
    const drawn = read('docs/architecture.md');
    expect(readdirSync('src').filter((folder) => !drawn.includes(`${folder}/`))).toEqual([]);
  });

  it('are all in the index', () => {
    const listed = new Set(linksOf('docs/README.md').map(({ target }) => target));
    const pages = PAGES.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md');
    expect(pages.filter((page) => !listed.has(page))).toEqual([]);
  });
});

describe('The readme', () => {
  it(`has at most ${MAX_README_WORDS} words`, () => {
    expect(wordsOf('README.md')).toBeLessThanOrEqual(MAX_README_WORDS);
  });

  it(`has lines of at most ${MAX_README_LINE} characters`, () => {
    const long = read('README.md')
      .split('\n')
      .filter((line) => line.length > MAX_README_LINE);
    expect(long).toEqual([]);
  });

  it('has pictures that load quickly', () => {
    const pictures = linksOf('README.md').filter(({ target }) => target.endsWith('.png'));
    expect(pictures.length).toBeGreaterThanOrEqual(3);
    expect(pictures.filter(({ target }) => statSync(target).size > MAX_PICTURE_BYTES)).toEqual([]);
  });
});

describe('The contract', () => {
  /** `## 4. …` is section 4, and `3. …` at the beginning of a line in it is 4.3. */
  const sections = new Set<string>();
  for (const part of proseOf('docs/contract.md').split(/^## /m)) {
    const [section] = /^\d+(?=\. )/.exec(part) ?? [];
    if (section === undefined) continue;
    sections.add(section);
    for (const item of matches(part, /^(\d+)\. /gm)) sections.add(`${section}.${item}`);
  }

  /** Files that may cite it; what follows the word, as in "contract §4.3–§4.5". */
  const files = [
    ...['src', 'test', 'bench'].flatMap(sourceFiles),
    'examples/sandbox.mjs',
    'examples/verify.mjs',
    'schema.graphql',
  ];
  const cited = files.flatMap((file) =>
    matches(read(file), /contract,? ((?:§[\d.]*\d[–, and]*)+)/gi).flatMap((list) =>
      matches(list, /§([\d.]*\d)/g).map((section) => ({ file, section })),
    ),
  );

  it('has every section that a comment cites', () => {
    expect(cited.length).toBeGreaterThan(100);
    expect(cited.filter(({ section }) => !sections.has(section))).toEqual([]);
  });
});

describe('The configuration', () => {
  const files = sourceFiles('src/base').filter((file) => file.endsWith('config.ts'));
  const sources = [...files, ...sourceFiles('src/base').filter((file) => file.endsWith('secret-files.ts'))].map(read);
  const variables = sources.flatMap((source) => matches(source, /^ {2}([A-Z][A-Z0-9_]+): /gm));
  const secrets = sources.flatMap((source) => matches(source, /SECRETS = \[([^\]]*)\]/g).join());
  const secretFiles = matches(secrets.join(), /'([A-Z_]+)'/g).map((name) => `${name}_FILE`);
  const known = new Set([...variables, ...secretFiles]);
  const page = read('docs/configuration.md');

  it('is on its page: every variable has a row', () => {
    expect(variables).toContain('PORT');
    expect(secretFiles).toContain('KEYSTORE_KEY_FILE');
    const [, own = ''] = page.split('## Set by the gateway');
    const rows = new Set([...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => matches(cell, /`(\w+)`/g)));
    expect([...known].filter((name) => !rows.has(name) && !own.includes(`\`${name}\``))).toEqual([]);
  });

  it('is all that the page lists', () => {
    const rows = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => matches(cell, /`([A-Z_]+)`/g));
    expect(rows.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('The limits', () => {
  it('limits.md states the defaults of the configuration', () => {
    const sources = sourceFiles('src/base')
      .filter((file) => file.endsWith('config.ts'))
      .map(read)
      .join('\n');
    const defaults = new Map(
      [...sources.matchAll(/^ {2}([A-Z][A-Z0-9_]+): integer\([^;]*?\)\.default\(\s*(\d[\d_]*),?\s*\)/gm)].map(
        ([, name = '', number = '']) => [name, number.replaceAll('_', '')],
      ),
    );
    const stated = [...read('docs/limits.md').matchAll(/`([A-Z][A-Z_]+)` \((\d[\d,]*)/g)]
      .map(([, name = '', number = '']) => ({ name, number: number.replaceAll(',', '') }))
      // Codes of errors are followed by a status.
      .filter(({ name }) => defaults.has(name));
    expect(new Set(stated.map(({ name }) => name)).size).toBeGreaterThanOrEqual(12);
    expect(stated.filter(({ name, number }) => defaults.get(name) !== number)).toEqual([]);
  });
});

describe('The decisions', () => {
  const files = readdirSync('docs/decisions').filter((file) => file !== 'README.md');

  it('have each a number of their own, in their names and headings', () => {
    const numbers = files.sort().map((file) => Number(file.slice(0, 4)));
    expect(new Set(numbers).size).toBe(files.length);
    const headings = files.map((file) => Number(/^# (\d+)\. /.exec(read(`docs/decisions/${file}`))?.[1]));
    expect(headings).toEqual(numbers);
  });

  it('are all in their index, by their titles', () => {
    const index = read('docs/decisions/README.md');
    const titles = files.map((file) => {
      const title = /^# \d+\. (.+)$/m.exec(read(`docs/decisions/${file}`))?.[1];
      return `[${title}](${file})`;
    });
    expect(titles.filter((line) => !index.includes(line))).toEqual([]);
  });

  it('are a page each', () => {
    expect(files.filter((file) => wordsOf(`docs/decisions/${file}`) > MAX_DECISION_WORDS)).toEqual([]);
  });
});
