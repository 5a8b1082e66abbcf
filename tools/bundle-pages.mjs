// Builds the pages for people (web/) into dist/pages: GraphiQL and the start page's script with their libraries as one file each, Swagger UI as it is published, the rest as it is.
// Runs in tools/build.mjs; again only when web/ or the lockfile has changed.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = 'web';
const TARGET = 'dist/pages';
const STAMP = `${TARGET}/.sources`;
const SWAGGER = 'node_modules/swagger-ui-dist';
const COPIES = ['start.html', 'graphiql.html', 'docs.html', 'docs.js', 'page.css'];

function sourcesHash() {
  const hash = createHash('sha256');
  const files = readdirSync(SOURCES).sort();
  for (const file of ['package-lock.json', 'tools/bundle-pages.mjs', ...files.map((name) => join(SOURCES, name))])
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** Style sheets that scripts import, as one file. */
function styles(name) {
  const sheets = new Map();
  return {
    name: 'styles',
    load(id) {
      if (!id.endsWith('.css')) return undefined;
      sheets.set(id, readFileSync(id, 'utf8'));
      return { code: '', moduleType: 'js' };
    },
    generateBundle() {
      if (sheets.size === 0) return;
      this.emitFile({ type: 'asset', fileName: `${name}.css`, source: [...sheets.values()].join('\n') });
    },
  };
}

async function bundleScript(name) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: { [name]: join(SOURCES, `${name}.js`) },
    // Its libraries have directives for servers of React.
    logLevel: 'silent',
    platform: 'browser',
    plugins: [styles(name)],
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const output = { dir: TARGET, format: 'esm', minify: true, codeSplitting: false, entryFileNames: '[name].js' };
  await bundle.write(output);
  await bundle.close();
}

/** Writes dist/pages, unless it is of these sources. Returns without a word where the libraries are not installed. */
export async function bundlePages() {
  if (!existsSync(SOURCES) || !existsSync(SWAGGER)) return;
  const sources = sourcesHash();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  mkdirSync(TARGET, { recursive: true });
  for (const name of COPIES) copyFileSync(join(SOURCES, name), join(TARGET, name));
  copyFileSync(join(SWAGGER, 'swagger-ui-bundle.js'), join(TARGET, 'swagger-ui.js'));
  copyFileSync(join(SWAGGER, 'swagger-ui.css'), join(TARGET, 'swagger-ui.css'));
  for (const name of ['graphiql', 'start']) await bundleScript(name);
  writeFileSync(STAMP, sources);
}
