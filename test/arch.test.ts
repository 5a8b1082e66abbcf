// The house rules of the sources. A failure prints the import (or line) that breaks the rule, and the rule.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { firstCycle, type Import, importsOf, sourceFiles } from './support/imports.js';

const SOURCES = sourceFiles('src');
const IMPORTS = SOURCES.flatMap(importsOf);
const OURS = IMPORTS.filter(({ to }) => to.startsWith('src/'));

/** A domain may call those left of it, never those right of it. */
const DOMAINS = [
  'keys',
  'conditions',
  'partners',
  'catalog',
  'holders',
  'storage',
  'issuance',
  'verification',
  'events',
];
/** Of graphql/ domains may use the shapes; the server, the schema build and the limits are the transport. */
const GRAPHQL_SHAPES = [
  'src/graphql/shapes/global-id.ts',
  'src/graphql/shapes/relay.ts',
  'src/graphql/shapes/scalars.ts',
];
const TRANSPORT = /^src\/(graphql|rest|cli|app\.ts|main\.ts|http\.ts)/;
/** Classes of GraphQL types: one domain's objects point at another's. */
const GRAPHQL_CLASSES = /\/([a-z-]+-)?types\.ts$|\/catalog\/inputs\.ts$/;
const MAX_LINES = 300;

const domainOf = (file: string): string | undefined => {
  const folder = file.split('/')[1] ?? '';
  return DOMAINS.includes(folder) ? folder : undefined;
};

/** Each broken import as a line for the person who reads the failure. */
const broken = (rule: string, imports: readonly Import[]): string[] =>
  imports.map(({ from, to }) => `${from} imports ${to}: ${rule}`);

describe('The sources', () => {
  it('have no circle of imports, in the engine none of types either', () => {
    const counted = OURS.filter(({ from, typeOnly }) => !typeOnly || from.startsWith('src/engine/'));
    expect(firstCycle(counted)?.join(' -> ') ?? 'no circle').toBe('no circle');
  });

  it('keep the engine an island', () => {
    const leaving = OURS.filter(({ from, to }) => from.startsWith('src/engine/') && !to.startsWith('src/engine/'));
    expect(broken('the engine imports nothing of ours', leaving)).toEqual([]);
    const reaching = OURS.filter(
      ({ from, to }) => !from.startsWith('src/engine/') && /^src\/engine\/(?!index\.ts)/.test(to),
    );
    expect(broken('the engine is entered by src/engine/index.ts alone', reaching)).toEqual([]);
  });

  it('keep transport out of the domains', () => {
    const upward = OURS.filter(
      ({ from, to }) => domainOf(from) !== undefined && TRANSPORT.test(to) && !GRAPHQL_SHAPES.includes(to),
    );
    expect(broken('a domain knows neither HTTP nor the GraphQL server', upward)).toEqual([]);
  });

  it('let a domain call only those left of it', () => {
    const rightward = OURS.filter(({ from, to, typeOnly }) => {
      const [caller, called] = [domainOf(from), domainOf(to)];
      if (typeOnly || caller === undefined || called === undefined) return false;
      return DOMAINS.indexOf(called) > DOMAINS.indexOf(caller);
    });
    expect(broken(`domains call leftwards in ${DOMAINS.join(', ')}`, rightward)).toEqual([]);
  });

  it('let a domain call another by its services', () => {
    const past = OURS.filter(({ from, to, typeOnly }) => {
      const [caller, called] = [domainOf(from), domainOf(to)];
      if (typeOnly || caller === undefined || called === undefined || caller === called) return false;
      // These two are libraries: functions without a store behind them.
      return !['keys', 'conditions'].includes(called) && !to.endsWith('.service.ts') && !GRAPHQL_CLASSES.test(to);
    });
    expect(broken('another domain is entered by its *.service.ts', past)).toEqual([]);
  });

  it('give the client library types only', () => {
    const loaded = OURS.filter(
      ({ from, to, typeOnly }) => from.startsWith('src/sdk/') && !to.startsWith('src/sdk/') && !typeOnly,
    );
    expect(broken('the client library imports types only', loaded)).toEqual([]);
  });

  it('read the environment in config.ts only', () => {
    const readers = SOURCES.filter((file) => readFileSync(file, 'utf8').includes('process.env'));
    expect(readers).toEqual(['src/base/config.ts']);
  });

  it('have named exports only', () => {
    const unnamed = SOURCES.filter((file) => /^export default\b/m.test(readFileSync(file, 'utf8')));
    expect(unnamed).toEqual([]);
  });
});

describe('Every hand-written file', () => {
  const files = [...SOURCES, ...sourceFiles('test'), ...sourceFiles('bench')];

  it(`is at most ${MAX_LINES} lines long`, () => {
    const long = files
      .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });

  it('opens with a comment on its job', () => {
    const silent = files.filter((file) => !/^(#!.*\n)?(\/\/|\/\*)/.test(readFileSync(file, 'utf8')));
    expect(silent).toEqual([]);
  });
});
