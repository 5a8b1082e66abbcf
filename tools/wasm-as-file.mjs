// A plugin of rolldown: the WASM module of the proof library is a file beside the bundle, compiled while it arrives.
import { createRequire } from 'node:module';

/** The module as text, which is a third longer, and decoded with Node's Buffer, which browsers have not. */
const EMBEDDED = /[\\/]dock_crypto_wasm_bs64\.js$/;

export const wasmAsFile = {
  name: 'wasm-as-file',
  load(id) {
    if (!EMBEDDED.test(id)) return undefined;
    const source = createRequire(import.meta.url)(id);
    const file = this.emitFile({ type: 'asset', name: 'proofs.wasm', source });
    return { code: `module.exports = fetch(import.meta.ROLLUP_FILE_URL_${file});`, moduleType: 'js' };
  },
};
