// A production installation has what it needs and no more: the packages that dist loads, at most 250 MB.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { expect, it } from 'vitest';
import { productionPackages } from '../support/installation.js';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;
const DEPENDENCIES = [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.optionalDependencies ?? {})];
const { NOT_BUNDLED, PROGRAMS } = (await import('../../tools/bundle.mjs' as string)) as {
  NOT_BUNDLED: RegExp;
  PROGRAMS: readonly string[];
};
/** Packages try to load these, but work without them. */
const OPTIONAL = ['class-validator'];

/** What a file imports, statically or dynamically. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  const places = [...staticImports, ...staticExports.flatMap(({ entries }) => entries), ...dynamicImports];
  const quoted = places.flatMap(({ moduleRequest }) =>
    moduleRequest ? [text.slice(moduleRequest.start, moduleRequest.end)] : [],
  );
  return quoted.flatMap((name) => (/^["'].*["']$/.test(name) ? [name.slice(1, -1)] : []));
}

/** Every package that the programs of dist import, statically or dynamically. */
function packagesOfPrograms(): string[] {
  const files = new Set(PROGRAMS.map((name) => join('dist', `${name}.js`)));
  const packages = new Set<string>();
  // Iterating a set includes what is added meanwhile.
  for (const file of files) {
    for (const name of importsOf(file)) {
      if (name.startsWith('.')) files.add(join(file, '..', name));
      else if (!isBuiltin(name)) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
    }
  }
  return [...packages];
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

it('dependencies are the packages that dist loads from node_modules; bundled ones are development dependencies', () => {
  const loaded = packagesOfPrograms();
  expect(loaded).toContain('lmdb');
  expect(loaded.filter((name) => !DEPENDENCIES.includes(name) && !OPTIONAL.includes(name))).toEqual([]);
  expect(DEPENDENCIES.filter((name) => !NOT_BUNDLED.test(name))).toEqual([]);
});

it('a start reads the code of CommonJS packages once: V8 compiles their functions at once, which it does not do with arrow functions', () => {
  const texts = filesOf('dist/chunks').map((file) => (file.endsWith('.js') ? readFileSync(file, 'utf8') : ''));
  const modules = texts.flatMap((text) => text.match(/__commonJSMin\(.{12}/g) ?? []);
  expect(modules.length).toBeGreaterThan(500);
  expect(modules.filter((text) => !text.startsWith('__commonJSMin((function('))).toEqual([]);
});

it('the packages that `npm ci --omit=dev` installs have at most 250 MB', () => {
  const paths = productionPackages().filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  const files = new Set(paths.flatMap(filesOf));
  const bytes = [...files].reduce((sum, file) => sum + lstatSync(file).size, 0);
  expect(bytes / 1e6).toBeGreaterThan(20);
  expect(bytes / 1e6).toBeLessThan(250);
});
