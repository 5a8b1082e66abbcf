// Bundles the page of examples/browser with the proof suite: node tools/bundle-browser.mjs <folder>. The library is a chunk of its own, loaded
// at first use, and its WASM module a file beside it, compiled while it arrives.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { wasmAsFile } from './wasm-as-file.mjs';

const EXAMPLE = fileURLToPath(new URL('../examples/browser', import.meta.url));
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
