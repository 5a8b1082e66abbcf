// Bundles src with the packages that it imports into dist: a file for each program and thread, and chunks that these share. A start then loads
// a hundred files instead of 1,400 (docs/decisions/0033-what-starts-is-a-bundle.md). Types are not checked.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';

const TARGET = 'dist';
/** Folders of src that tools/bundle-client.mjs builds. */
const CLIENTS = ['console', 'sdk', 'wallet'];
const CHUNKS = 'chunks';

/** What is started by its path: programs, threads, and processes of their own. */
export const PROGRAMS = [
  'catalog/json-schema/check-worker',
  'catalog/search/worker',
  'cli/main',
  'compose/print-openapi',
  'compose/print-schema',
  'engine/maintenance/process',
  'engine/main',
  'engine/worker',
  'keys/zk/worker',
  'process/main',
  'process/workers/engine-process',
];
/** What other programs import, pages too, whose bundlers bring their own packages. */
const LIBRARIES = ['zk/holder', 'zk/index'];
export const ENTRIES = [...PROGRAMS, ...LIBRARIES];

/** Packages that are loaded from node_modules: native code, WASM, and what few gateways use. package.json has them, and them alone, as dependencies. */
export const NOT_BUNDLED = /^(lmdb|@foundry-rs\/.*|@docknetwork\/crypto-wasm|@opentelemetry\/.*)(\/|$)/;

const PLACE = /__moduleUrl\("([^"]+)"\)/g;

const isOurs = (id) => !id.includes('node_modules') && id.endsWith('.ts');

/** In a chunk, `import.meta.url` still is the address of the module in dist without bundling; from it, files beside it are found. */
const moduleUrls = {
  name: 'module-urls',
  transform(code, id) {
    if (!isOurs(id) || !code.includes('import.meta.url')) return undefined;
    const path = relative('src', id).split(sep).join('/').replace(/\.ts$/, '.js');
    return { code: code.replaceAll('import.meta.url', `__moduleUrl("${path}")`), map: null };
  },
  renderChunk(code, { fileName }) {
    if (!code.includes('__moduleUrl(')) return undefined;
    const urlOf = (path) => `new URL("${posix.relative(posix.dirname(fileName), path)}", import.meta.url).href`;
    return { code: code.replace(PLACE, (_, path) => urlOf(path)), map: null };
  },
};

/** Checks what comes in by a schema of Fastify, or writes what goes out by one: no route has any. */
const NO_SCHEMAS = `module.exports = () => () => { throw new Error('Routes have no schemas of Fastify.'); };`;

/**
 * What packages import and a start need not load: Node has it, as Apollo's hashes, which a bundle would compute in JavaScript, and the driver's
 * URLs; or it is for what the gateway does not use, as OpenTelemetry in prom-client, for exemplars.
 */
const REPLACED = {
  '@apollo/utils.createhash': { code: `export { createHash } from 'node:crypto';` },
  'whatwg-url': { code: `export { URL, URLSearchParams } from 'node:url';` },
  '@opentelemetry/api': { code: 'export {};', importer: /node_modules\/prom-client\// },
  '@fastify/ajv-compiler': { code: NO_SCHEMAS },
  '@fastify/fast-json-stringify-compiler': { code: NO_SCHEMAS },
};

const isReplaced = (id, importer = '') =>
  Object.hasOwn(REPLACED, id) && (REPLACED[id].importer?.test(importer.replaceAll('\\', '/')) ?? true);

const replaced = {
  name: 'replaced',
  resolveId: (id, importer) => (isReplaced(id, importer) ? `\0replaced:${id}` : undefined),
  load: (id) => (id.startsWith('\0replaced:') ? REPLACED[id.slice('\0replaced:'.length)].code : undefined),
};

/** Decorators need reflect-metadata, and their chunk may run before the module that imports it. */
const metadataFirst = {
  name: 'metadata-first',
  transform(code, id) {
    if (!isOurs(id) || !code.includes("from 'type-graphql'")) return undefined;
    return { code: `import 'reflect-metadata';${code}`, map: null };
  },
};

/** Stacks name the sources of ours; maps of packages would be read at each start. */
const mapsOfOurs = {
  name: 'maps-of-ours',
  generateBundle(_, bundle) {
    for (const [name, chunk] of Object.entries(bundle)) {
      if (!name.startsWith(`${CHUNKS}/packages-`)) continue;
      if (name.endsWith('.map')) delete bundle[name];
      else chunk.code = chunk.code.replace(/\n\/\/# sourceMappingURL=\S+\n?$/, '\n');
    }
  },
};

/**
 * V8 compiles a function in brackets at once instead of reading it twice, once for its end and once for its code, but not an arrow function.
 * The bundler puts CommonJS modules into such arrow functions.
 */
const compiledAtOnce = {
  name: 'compiled-at-once',
  renderChunk(code) {
    const changed = code.replaceAll(/(__commonJSMin\(\()(\([\w$, ]*\)) => \{/g, '$1function$2 {');
    return changed === code ? undefined : { code: changed };
  },
};

/** Writes programs into dist. @returns the names of the files. */
async function bundle(names, external) {
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join('src', `${name}.ts`)])),
    platform: 'node',
    external: (id, importer) => external.test(id) && !isReplaced(id, importer),
    // Packages try to load optional ones that are not installed.
    logLevel: 'silent',
    plugins: [replaced, moduleUrls, metadataFirst, compiledAtOnce, mapsOfOurs],
  });
  const { output } = await build.write({
    dir: TARGET,
    format: 'esm',
    // Names of classes are names of GraphQL types and of errors.
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => `${CHUNKS}/${name.split('~')[0]}-[hash].js`,
    // A program loads what it uses, and chunks are of packages or of ours.
    codeSplitting: { groups: [{ name: 'packages', test: /node_modules/, entriesAware: true }] },
    // The comments of packages are a quarter of what a start would read.
    comments: { jsdoc: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  return output.map(({ fileName }) => fileName);
}

/** Writes dist. @throws what is wrong with a source. */
export async function bundleSources() {
  const programs = await bundle(PROGRAMS, NOT_BUNDLED);
  const libraries = await bundle(LIBRARIES, /^[^./]/);
  removeOthers(new Set([...programs, ...libraries]));
}

/** Removes what earlier builds have written: chunks of other sources, and programs that are gone. */
function removeOthers(names) {
  const folders = [CHUNKS, ...readdirSync('src')].filter(
    (folder) => !CLIENTS.includes(folder) && existsSync(join(TARGET, folder)),
  );
  for (const folder of folders) {
    for (const file of readdirSync(join(TARGET, folder), { recursive: true, withFileTypes: true })) {
      const path = join(file.parentPath, file.name);
      if (file.isFile() && !names.has(relative(TARGET, path).split(sep).join('/'))) rmSync(path);
    }
  }
}
