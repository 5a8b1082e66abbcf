// Some fields of a document as BSON, copied byte for byte: nothing is decoded or encoded again.
import { fail } from '../errors.js';
import { TYPE } from './types.js';

/** A document with only the requested top-level fields, in the document's order. */
export type Pick = (bytes: Buffer) => Buffer;

const HEAD = 4;
const MIN_KEY = TYPE.minKey & 0xff;

/** Bytes of values whose length is always the same, by type. */
const FIXED: (number | undefined)[] = [];
for (const type of [TYPE.undefined, TYPE.null, TYPE.maxKey, MIN_KEY]) FIXED[type] = 0;
for (const type of [TYPE.double, TYPE.date, TYPE.timestamp, TYPE.long]) FIXED[type] = 8;
FIXED[TYPE.bool] = 1;
FIXED[TYPE.int] = 4;
FIXED[TYPE.objectId] = 12;
FIXED[TYPE.decimal] = 16;

/** By type, the bytes of a value that its leading length field does not count. */
const BESIDE: (number | undefined)[] = [];
for (const type of [TYPE.object, TYPE.array, TYPE.javascriptWithScope]) BESIDE[type] = 0;
for (const type of [TYPE.string, TYPE.javascript, TYPE.symbol]) BESIDE[type] = 4;
BESIDE[TYPE.binData] = 5;
BESIDE[TYPE.dbPointer] = 16;

function damaged(): never {
  return fail('InvalidBSON', 'Invalid BSON: an element crosses the end of its document');
}

function lengthAt(bytes: Buffer, at: number): number {
  const length =
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24);
  return length < 0 ? damaged() : length;
}

function endOfName(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(0, at);
  return end < 0 ? damaged() : end;
}

/** Where a value ends that begins at `at`. */
function endOf(bytes: Buffer, type: number, at: number): number {
  const fixed = FIXED[type];
  if (fixed !== undefined) return at + fixed;
  const beside = BESIDE[type];
  if (beside !== undefined) return at + beside + lengthAt(bytes, at);
  if (type === TYPE.regex) return endOfName(bytes, endOfName(bytes, at) + 1) + 1;
  return fail('InvalidBSON', `Invalid BSON: there is no BSON type ${type}`);
}

/** The requested names by their length in bytes, which distinguishes most fields. */
function byLength(names: readonly string[]): (Buffer[] | undefined)[] {
  const lists: (Buffer[] | undefined)[] = [];
  for (const name of names) {
    const bytes = Buffer.from(name);
    lists[bytes.length] = [...(lists[bytes.length] ?? []), bytes];
  }
  return lists;
}

function isOneOf(names: readonly Buffer[] | undefined, bytes: Buffer, at: number): boolean {
  if (names === undefined) return false;
  for (const name of names) {
    let i = 0;
    while (i < name.length && name[i] === bytes[at + i]) i++;
    if (i === name.length) return true;
  }
  return false;
}

/** Pickers by their names: clients request the same fields again and again. */
const PICKERS = new Map<string, Pick>();
const MAX_PICKERS = 500;

/** Picks these top-level fields. The result throws InvalidBSON (22) for bytes that are no document. */
export function picker(names: readonly string[]): Pick {
  const key = `${names.length} ${names.join('\0')}`;
  const present = PICKERS.get(key);
  if (present) return present;
  const pick = newPicker(names);
  if (PICKERS.size >= MAX_PICKERS) PICKERS.clear();
  PICKERS.set(key, pick);
  return pick;
}

function newPicker(names: readonly string[]): Pick {
  const wanted = byLength(names);
  // Begin and end of each run of requested elements. All calls share the array, because a pick never awaits.
  const runs: number[] = [];
  return (bytes) => {
    const end = bytes.length - 1;
    let size = HEAD + 1;
    let count = 0;
    for (let at = HEAD; at < end; ) {
      const start = at;
      const nameAt = at + 1;
      let nameEnd = nameAt;
      while (bytes[nameEnd] !== 0) if (++nameEnd > end) damaged();
      at = endOf(bytes, bytes[start] as number, nameEnd + 1);
      if (at > end) damaged();
      if (!isOneOf(wanted[nameEnd - nameAt], bytes, nameAt)) continue;
      size += at - start;
      if (count > 0 && runs[count - 1] === start) runs[count - 1] = at;
      else {
        runs[count++] = start;
        runs[count++] = at;
      }
    }
    return copied(bytes, runs, count, size);
  };
}

function copied(bytes: Buffer, runs: readonly number[], count: number, size: number): Buffer {
  const picked = Buffer.allocUnsafe(size);
  picked.writeInt32LE(size, 0);
  let at = HEAD;
  for (let run = 0; run < count; run += 2) at += bytes.copy(picked, at, runs[run], runs[run + 1]);
  picked[at] = 0;
  return picked;
}
