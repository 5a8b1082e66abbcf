// The real proof worker, but for proofs that name a key: `panic` makes the proof library panic, `hang` never ends.
import { parentPort } from 'node:worker_threads';

const own = (kid) => kid === 'panic' || kid === 'hang';
const real = new URL('../../../dist/keys/zk/worker.js', import.meta.url);
const listen = parentPort.on.bind(parentPort);
parentPort.on = (event, listener) =>
  listen(event, (question) => {
    const kid = question.presentation?.kid;
    if (!own(kid)) return listener(question);
    if (kid === 'hang') hang();
    return panic();
  });

/** Busy when its time is over; until shortly before, it costs the other tests nothing. */
function hang() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 7_500);
  for (;;);
}

/** An instruction that traps, in a module of WebAssembly: what a panic of the library is. */
function panic() {
  const unreachable = [
    0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0, 10, 5, 1, 3, 0, 0, 11,
  ];
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(unreachable)));
  exports.f();
}

await import(real.href);
