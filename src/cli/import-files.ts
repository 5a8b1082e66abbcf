// Finds and reads the files of an import: JSON Schema documents and catalog bundles (docs/import-format.md).
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EVERYWHERE, writeJson } from '../base/json/exact-json.js';
import { isJsonObject } from '../base/json/json-object.js';
import { IMPORT_KINDS, type ImportKind, MAX_LINE_LENGTH } from '../catalog/admin/import.js';
import { schemaFromDocument } from '../catalog/json-schema/schema-document.js';
import { linesOf } from '../http/requests/ndjson.js';
import { parseJsonText } from './json-text.js';

/** One entry to import, and its location in the files. */
export interface ImportRecord {
  /** `file`, `file:line` or `file#issuers[3]`. */
  place: string;
  kind: ImportKind;
  /** The line for the operator's API. */
  line: string;
  /** Its line number in NDJSON; 0 in other files. */
  number: number;
  /** The id that was generated for a document without one. */
  madeId?: string;
}

/** The first and the last line of a kind in a file; lines of other kinds may be between them. */
export interface LineSpan {
  first: number;
  last: number;
}

/** Something that cannot be imported, and why. */
export interface ImportFault {
  place: string;
  message: string;
}

/** Largest JSON file: it is read as a whole (NDJSON is read line by line). */
const MAX_JSON_BYTES = 64 * 1024 * 1024;
const WHOLE: LineSpan = { first: 0, last: Number.POSITIVE_INFINITY };
const NDJSON = /\.(ndjson|jsonl)$/i;
const IMPORTABLE = /\.(json|ndjson|jsonl)$/i;

/** The files at these paths; for folders, all importable files in them, ordered by name. */
export async function filesOf(paths: readonly string[]): Promise<{ files: string[]; faults: ImportFault[] }> {
  const files: string[] = [];
  const faults: ImportFault[] = [];
  for (const path of paths) {
    try {
      const found = (await stat(path)).isDirectory() ? await filesBelow(path) : [path];
      files.push(...found);
      if (found.length === 0)
        faults.push({ place: path, message: 'has no file that ends in .json, .ndjson or .jsonl' });
    } catch (error) {
      faults.push({ place: path, message: fileFault(error) });
    }
  }
  return { files, faults };
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && IMPORTABLE.test(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** Reads one file, or a span of lines of an NDJSON file. Reports faults to `onFault` and returns the valid entries. */
export async function* recordsOf(
  file: string,
  onFault: (fault: ImportFault) => void,
  span: LineSpan = WHOLE,
): AsyncGenerator<ImportRecord> {
  try {
    if (NDJSON.test(file)) yield* recordsOfLines(file, onFault, span);
    else yield* recordsOfJson(file, onFault);
  } catch (error) {
    onFault({ place: file, message: fileFault(error) });
  }
}

async function* recordsOfLines(
  file: string,
  onFault: (fault: ImportFault) => void,
  { first, last }: LineSpan,
): AsyncGenerator<ImportRecord> {
  let number = 0;
  for await (const line of linesOf(createReadStream(file), MAX_LINE_LENGTH)) {
    number += 1;
    if (number > last) return;
    if (number < first || line.trim() === '') continue;
    const place = `${file}:${number}`;
    try {
      if (line.length > MAX_LINE_LENGTH) throw tooLong();
      yield record(place, parseJsonText(line, EVERYWHERE), number);
    } catch (error) {
      onFault({ place, message: lineFault(error) });
    }
  }
}

async function* recordsOfJson(file: string, onFault: (fault: ImportFault) => void): AsyncGenerator<ImportRecord> {
  if ((await stat(file)).size > MAX_JSON_BYTES)
    throw new Error('is larger than 64 MiB; write it as NDJSON, one entry a line');
  const json = parseJsonText(decoded(await readFile(file)), EVERYWHERE);
  for (const [at, value] of entriesOf(json)) {
    const place = `${file}${at}`;
    try {
      yield record(place, value);
    } catch (error) {
      onFault({ place, message: messageOf(error) });
    }
  }
}

/** @throws Error for bytes that are not UTF-8, which RFC 8259 requires. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('is not text in UTF-8');
  }
}

/** A file's JSON as entries: a list, a bundle by kind, one entry, or one JSON Schema document. */
function* entriesOf(json: unknown): Generator<[string, unknown]> {
  if (Array.isArray(json)) {
    for (const [index, value] of json.entries()) yield [`[${index}]`, value];
  } else if (isBundle(json)) {
    for (const [kind, entries] of Object.entries(json)) {
      if (!isKind(kind)) throw new Error(`has "${kind}", which is none of ${IMPORT_KINDS.join(', ')}`);
      if (!Array.isArray(entries)) throw new Error(`has "${kind}", which must be a list`);
      for (const [index, value] of entries.entries())
        yield [`#${kind}[${index}]`, isJsonObject(value) ? { ...value, kind } : value];
    }
  } else {
    yield ['', json];
  }
}

function isKind(name: unknown): name is ImportKind {
  return (IMPORT_KINDS as readonly unknown[]).includes(name);
}

/** Whether an object has a list of a kind. Neither an entry nor a JSON Schema document has one at the top level. */
function isBundle(json: unknown): json is Record<string, unknown> {
  return isJsonObject(json) && IMPORT_KINDS.some((kind) => Array.isArray(json[kind]));
}

/** An entry `{kind, id, …}`, or a JSON Schema document, as a line of the operator's API. */
function record(place: string, value: unknown, number = 0): ImportRecord {
  if (!isJsonObject(value)) throw new Error('is not a JSON object');
  const entry = typeof value.kind === 'string' ? value : documentEntry(value);
  const { kind } = entry;
  if (!isKind(kind)) throw new Error(`has "kind" ${JSON.stringify(kind)}, which is none of ${IMPORT_KINDS.join(', ')}`);
  const line = writeJson(entry);
  if (line.length > MAX_LINE_LENGTH) throw tooLong();
  const madeId = entry === value || value.$id === entry.id ? {} : { madeId: String(entry.id) };
  return { place, kind, line, number, ...madeId };
}

function documentEntry(document: Record<string, unknown>): Record<string, unknown> {
  return { kind: 'schemas', id: schemaFromDocument(document).schemaId, jsonSchema: document };
}

const tooLong = () => new Error(`is longer than ${MAX_LINE_LENGTH} characters`);

/** The reason of a fault in a line, without the line number, which the location has. */
function lineFault(error: unknown): string {
  return messageOf(error).replace('at line 1, column', 'at column');
}

function fileFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return { ENOENT: 'there is no such file', EACCES: 'this user may not read it' }[code] ?? messageOf(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
