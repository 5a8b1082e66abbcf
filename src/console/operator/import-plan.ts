// What files become before they are imported: JSON Schema documents as publishers write them, lists and bundles of entries, and NDJSON.
import canonicalize from 'canonicalize';
import { isExact } from '../../common/exact-number.js';

/** The kinds of entries, in an order in which each finds what it names. */
const KINDS = ['issuers', 'schemas', 'credentials', 'verifiers', 'programs', 'partners'];

/** One entry, as a line of NDJSON. */
export interface PlannedEntry {
  /** `file`, `file:line` or `file#issuers[3]`. */
  place: string;
  kind: string;
  id: string;
  /** Its title or name; empty if it has none. */
  title: string;
  line: string;
  /** The JSON Schema document that it is. */
  document?: Record<string, unknown>;
}

/** Something that cannot be imported, and why. */
export interface ImportFault {
  place: string;
  message: string;
}

export interface ImportPlan {
  entries: PlannedEntry[];
  faults: ImportFault[];
}

/** Most bytes of files that are read as a whole. */
const MAX_BYTES = 64 * 1024 * 1024;
const NDJSON = /\.(?:ndjson|jsonl)$/i;

/** Whether a file is sent as it is, whatever its size: its lines are entries already. */
export const isSentWhole = (files: readonly File[]): boolean => files.length === 1 && NDJSON.test(files[0]?.name ?? '');

/** Reads files; entries of one kind stand together, in an order that works. */
export async function planOf(files: readonly File[]): Promise<ImportPlan> {
  const plan: ImportPlan = { entries: [], faults: [] };
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES)
    return {
      ...plan,
      faults: [{ place: 'The files', message: 'have more than 64 MiB together; import them one by one.' }],
    };
  for (const file of files) await addFile(plan, file);
  plan.entries.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
  return plan;
}

async function addFile(plan: ImportPlan, file: File): Promise<void> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    if (NDJSON.test(file.name)) {
      for (const [index, line] of text.split('\n').entries())
        if (line.trim() !== '') await addText(plan, `${file.name}:${index + 1}`, line);
    } else await addText(plan, file.name, text);
  } catch {
    plan.faults.push({ place: file.name, message: 'is not text in UTF-8.' });
  }
}

async function addText(plan: ImportPlan, place: string, text: string): Promise<void> {
  try {
    const json: unknown = JSON.parse(text);
    const list = listOf(json);
    if (list === undefined) return void plan.entries.push(await entryOf(place, json, text));
    for (const [at, value] of list) {
      try {
        plan.entries.push(await entryOf(`${place}${at}`, value, exactText(value, text)));
      } catch (error) {
        plan.faults.push({ place: `${place}${at}`, message: (error as Error).message });
      }
    }
  } catch (error) {
    const message = error instanceof SyntaxError ? 'is not JSON.' : (error as Error).message;
    plan.faults.push({ place, message });
  }
}

/** The entries of a list, or of a bundle by kind; undefined for one entry or document. */
function listOf(json: unknown): [at: string, value: unknown][] | undefined {
  if (Array.isArray(json)) return json.map((value, index) => [`[${index}]`, value]);
  if (!isObject(json) || !KINDS.some((kind) => Array.isArray(json[kind]))) return undefined;
  return Object.entries(json).flatMap(([kind, values]): [string, unknown][] => {
    if (!KINDS.includes(kind) || !Array.isArray(values)) throw new Error(`has “${kind}”, which is no list of a kind.`);
    return values.map((value, index) => [`#${kind}[${index}]`, isObject(value) ? { ...value, kind } : value]);
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param text of the value alone: numbers that a double cannot hold are in it as they were written */
async function entryOf(place: string, value: unknown, text: string): Promise<PlannedEntry> {
  if (!isObject(value)) throw new Error('is not a JSON object.');
  // Line ends are between the parts of JSON alone; in texts they are escaped.
  const line = text
    .replace(/^\ufeff/, '')
    .replace(/[\r\n]+/g, ' ')
    .trim();
  const { kind, title, name } = value;
  const called = [title, name].find((each) => typeof each === 'string') as string | undefined;
  if (typeof kind !== 'string') {
    const id = await documentId(value, text);
    const wrapped = `{"kind":"schemas","id":${JSON.stringify(id)},"jsonSchema":${line}}`;
    return { place, kind: 'schemas', id, title: called ?? '', line: wrapped, document: value };
  }
  if (!KINDS.includes(kind)) throw new Error(`has the kind “${kind}”, which is none of ${KINDS.join(', ')}.`);
  return { place, kind, id: String(value.id ?? ''), title: called ?? '', line };
}

/** Its `$id`, or the hash of its content, as the command line names it. */
async function documentId(document: Record<string, unknown>, text: string): Promise<string> {
  const { $id } = document;
  if (typeof $id === 'string' && $id !== '') return $id;
  requireExact(text, 'give it an $id');
  const bytes = new TextEncoder().encode(canonicalize(document));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `urn:sha256:${[...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The text of a part of a file. @throws Error if the file has numbers that change when they are written again */
function exactText(value: unknown, text: string): string {
  requireExact(text, 'write it as NDJSON');
  return JSON.stringify(value);
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?/gs;

function requireExact(text: string, instead: string): void {
  const inexact = text.match(TOKENS)?.find((token) => !token.startsWith('"') && !isExact(token));
  if (inexact !== undefined)
    throw new Error(`has the number ${inexact.slice(0, 40)}, which cannot be held exactly here; ${instead}.`);
}
