// V8 optimizes what a start runs often, on threads of its own: a fifth of a start's processor time, for code of which most never runs again.
// Meanwhile it waits ten times as long with each function. Code that is in use afterwards is optimized then. Only in Node 20: later versions of V8
// do not have the flag, and report it as an error.
import { setFlagsFromString } from 'node:v8';

/** How much a function runs before it is optimized, bytes of its bytecode: V8's default, and during a start. */
const BUDGET = 67_584;
const BUDGET_OF_STARTS = 10 * BUDGET;
/** A start goes on after the port is open: elections, search. Milliseconds. */
const START_GOES_ON_MS = 2_000;

/** Call it before modules are loaded. */
export function beginStart(): void {
  setBudget(BUDGET_OF_STARTS);
}

/** Call it when the port is open. */
export function endStart(): void {
  setTimeout(() => setBudget(BUDGET), START_GOES_ON_MS).unref();
}

function setBudget(bytes: number): void {
  if (Number.parseInt(process.versions.v8, 10) < 12) setFlagsFromString(`--interrupt-budget=${bytes}`);
}
