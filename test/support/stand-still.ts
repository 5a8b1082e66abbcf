// A process that stands still, as if it were suspended or got no processor time.

/** Blocks this process without computing; timers and what arrives wait. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
