// Bundles the page of examples/browser with the proof suite: node tools/bundle-browser.mjs <folder>. The library is a chunk of its own, loaded
// at first use, and its WASM module a file beside it, compiled while it arrives.
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const EXAMPLE = fileURLToPath(new URL('../examples/browser', import.meta.url));
/** The module as text, which is a third longer, and decoded with Node's Buffer, which browsers have not. */
const EMBEDDED = /[\\/]dock_crypto_wasm_bs64\.js$/;

const wasmAsFile = {
  name: 'wasm-as-file',
  load(id) {
    if (!EMBEDDED.test(id)) return undefined;
    const source = createRequire(import.meta.url)(id);
    const file = this.emitFile({ type: 'asset', name: 'proofs.wasm', source });
    return { code: `module.exports = fetch(import.meta.ROLLUP_FILE_URL_${file});`, moduleType: 'js' };
  },
};

/** Writes index.html, page.js, worker.js and what they load into a folder. */
export async function bundleForBrowsers(folder) {
  const bundle = await rolldown({
    input: { page: join(EXAMPLE, 'page.mjs'), worker: join(EXAMPLE, 'worker.mjs') },
    platform: 'browser',
    plugins: [wasmAsFile],
  });
  await bundle.write({ dir: folder, format: 'esm', minify: true });
  await bundle.close();
  copyFileSync(join(EXAMPLE, 'index.html'), join(folder, 'index.html'));
}

if (argv[1] === fileURLToPath(import.meta.url)) await bundleForBrowsers(argv[2] ?? 'dist/browser');
