// The original bytes of request documents, so that they are stored unchanged. They also hold the field order, which JavaScript changes: it puts number-like names first.
import { onDemand } from 'bson';
import { decode, toBytes } from './codec.js';
import { type Doc, getOwn, isDocument, setOwn } from './types.js';

const originals = new WeakMap<object, Buffer>();

/** Remembers the bytes of a decoded value, which must not change afterwards. Returns the value. */
export function keepBytes<T extends object>(value: T, bytes: Buffer): T {
  originals.set(value, bytes);
  return value;
}

/** The original bytes of a document (or array) of a request; undefined if they are not remembered. */
export function bytesOf(value: unknown): Buffer | undefined {
  return typeof value === 'object' && value !== null ? originals.get(value) : undefined;
}

/**
 * Remembers for `copy` the original bytes of the fields that it shares with `original`, if those are remembered. `_id`
 * goes first. Returns the copy.
 */
export function withBytesOf(original: Doc, copy: Doc): Doc {
  const bytes = bytesOf(original);
  if (!bytes) return copy;
  const elements = new Map(elementsOf(bytes).map(({ name, whole }) => [name, whole]));
  const parts = [...new Set(['_id', ...elements.keys()])].map((name) => {
    const element = getOwn(copy, name) === getOwn(original, name) ? elements.get(name) : undefined;
    return element ?? elementOf(name, getOwn(copy, name));
  });
  return keepBytes(copy, joined(parts));
}

/** One field as BSON: type, name and value. */
function elementOf(name: string, value: unknown): Buffer {
  const doc: Doc = {};
  setOwn(doc, name, value);
  return toBytes(doc).subarray(4, -1);
}

/** The document `bytes` with the `_id` of `from`, byte for byte. */
export function withIdBytes(bytes: Buffer, from: Buffer): Buffer {
  const id = elementsOf(from).find(({ name }) => name === '_id');
  return joined(elementsOf(bytes).map((each) => (id && each.name === '_id' ? id.whole : each.whole)));
}

/** Decodes a document of a request. Nested documents remember their bytes where JavaScript would lose the field order. Throws as strict `decode` does. */
export function decodeRequest(bytes: Buffer): Doc {
  const doc = decode(bytes, true);
  if (hasNumberNames(doc)) rememberInside(doc, bytes);
  return doc;
}

function rememberInside(value: Doc | unknown[], bytes: Buffer): void {
  keepBytes(value, bytes);
  for (const { name, value: inner } of elementsOf(bytes)) {
    const child = Reflect.get(value, name);
    if (inner && (isDocument(child) || Array.isArray(child))) rememberInside(child, inner);
  }
}

const NUMBER_NAME = /^(?:0|[1-9]\d{0,9})$/;

/** Whether some document inside has a field name that JavaScript sorts to the front. */
export function hasNumberNames(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNumberNames);
  if (!isDocument(value)) return false;
  let first = true;
  for (const name in value) {
    // JavaScript puts such names first, so checking the first name is enough.
    if (first && NUMBER_NAME.test(name)) return true;
    first = false;
    const inner = value[name];
    if (typeof inner === 'object' && hasNumberNames(inner)) return true;
  }
  return false;
}

const DOCUMENT = 3;
const ARRAY = 4;

/** One field of a document, as bytes. */
export interface Element {
  name: string;
  /** Type, name and value. */
  whole: Buffer;
  /** Bytes of the value where it is a document or an array. */
  value: Buffer | undefined;
}

/** The fields of a document or array. */
export function elementsOf(bytes: Buffer): Element[] {
  return Array.from(onDemand.parseToElements(bytes), ([type, nameAt, nameLength, at, length]) => ({
    name: bytes.toString('utf8', nameAt, nameAt + nameLength),
    whole: bytes.subarray(nameAt - 1, at + length),
    value: type === DOCUMENT || type === ARRAY ? bytes.subarray(at, at + length) : undefined,
  }));
}

/**
 * A document as BSON. Number-like field names keep their position in the bytes of the request; without those, their position in `like` (an
 * earlier version, or the document that this one is computed from).
 * `_id` stays first.
 */
export function toOrderedBytes(doc: Doc, like?: Buffer): Buffer {
  const bytes = toBytes(doc);
  return hasNumberNames(doc) ? inOrder(doc, bytes, like, true) : bytes;
}

function inOrder(value: Doc | unknown[], bytes: Buffer, like: Buffer | undefined, top = false): Buffer {
  const template = bytesOf(value) ?? like;
  const templateValues = new Map(template ? elementsOf(template).map((each) => [each.name, each.value]) : []);
  const elements = new Map(elementsOf(bytes).map((each) => [each.name, each]));
  const names = Array.isArray(value) ? [] : [...(top ? ['_id'] : []), ...templateValues.keys()];
  const parts: Buffer[] = [];
  for (const name of new Set([...names, ...elements.keys()])) {
    const element = elements.get(name);
    const child: unknown = element?.value && Reflect.get(value, name);
    if (element?.value && (isDocument(child) || Array.isArray(child))) {
      const head = element.whole.subarray(0, element.whole.length - element.value.length);
      parts.push(head, inOrder(child, element.value, templateValues.get(name)));
    } else if (element) {
      parts.push(element.whole);
    }
  }
  return joined(parts);
}

const END = Buffer.from([0]);

/** A document from the bytes of its elements. */
export function joined(elements: Buffer[]): Buffer {
  const head = Buffer.allocUnsafe(4);
  const length = elements.reduce((sum, each) => sum + each.length, head.length + END.length);
  head.writeInt32LE(length, 0);
  return Buffer.concat([head, ...elements, END], length);
}

const END_MARK = Buffer.from([0]);

/** A document with one more field at its end: type and name, and value. */
export function withField(doc: Buffer, field: Buffer, value: Buffer): Buffer {
  const bytes = Buffer.concat([doc.subarray(0, -1), field, value, END_MARK]);
  bytes.writeInt32LE(bytes.length, 0);
  return bytes;
}

/** Binary data as the value of a field: length, subtype 0, bytes. */
export function binary(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeInt32LE(bytes.length, 0);
  return Buffer.concat([head, bytes]);
}
