// The layout of a proof: its statements determine every byte that is not part of a point or a number. The library
// ignores some of these bytes and panics at others, so the layout is checked before: then all lengths are correct and
// each proof has one encoding.
import type { Statement } from './plan.js';

/** Fixed bytes, or the length of a part with a point or a number. */
type Part = Uint8Array | number;

const POINT = 48;
const SCALAR = 32;

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** A length or position: 64 bits, little-endian. */
function count(value: number): Uint8Array {
  const part = new Uint8Array(8);
  new DataView(part.buffer).setBigUint64(0, BigInt(value), true);
  return part;
}

/** The response for one of a commitment's two secrets; the signature has the response for the other. */
const HALF_RESPONSE: readonly Part[] = [count(1), count(1), SCALAR, count(2)];

const COMMITMENT: readonly Part[] = [bytes(0x20), POINT, ...HALF_RESPONSE];

/** A range proof of 64 binary digits for each end takes 7 rounds. */
const RANGE: readonly Part[] = [
  bytes(0x0c),
  ...[count(2), 2 * POINT, bytes(2, 0), 4 * POINT],
  ...[count(7), 7 * POINT, count(7), 7 * POINT, count(1), SCALAR, count(1), SCALAR],
  ...[POINT, ...HALF_RESPONSE, POINT, ...HALF_RESPONSE],
];

const STATEMENTS: Readonly<Record<Statement['kind'], readonly Part[]>> = {
  disclosed: [],
  range: RANGE,
  inequality: [bytes(0x0f), 448, ...HALF_RESPONSE],
  member: [bytes(0x01), 912, bytes(0), 128],
};

/** The end of a proof: there are no aggregated proofs. */
const END = new Uint8Array(10);

function layoutOf(messages: number, plan: readonly Statement[]): readonly Part[] {
  const disclosed = plan.filter(({ kind }) => kind === 'disclosed').length;
  // A response for each hidden message, and two for the signature itself.
  const responses = messages - disclosed + 2;
  const signature = [bytes(0x1f), 3 * POINT, bytes(1), count(responses), responses * SCALAR, bytes(0)];
  const statements = plan.flatMap(({ kind }) => STATEMENTS[kind]);
  return [count(plan.length - disclosed + 2), ...signature, ...COMMITMENT, ...statements, END];
}

/** Whether the bytes of a proof about this many messages have the layout of its statements. */
export function hasLayout(proof: Uint8Array, messages: number, plan: readonly Statement[]): boolean {
  let at = 0;
  for (const part of layoutOf(messages, plan)) {
    if (typeof part === 'number') {
      at += part;
      continue;
    }
    if (!part.every((byte, offset) => proof[at + offset] === byte)) return false;
    at += part.length;
  }
  return at === proof.length;
}
