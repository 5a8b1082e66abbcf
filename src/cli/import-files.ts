// Finds and reads what is to be imported: JSON Schema documents and catalog bundles (docs/import-format.md).
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_LINE_LENGTH } from '../catalog/admin-import.js';
import { schemaFromDocument } from '../catalog/import/schema-document.js';
import { CATALOG_KINDS, type CatalogKind } from '../catalog/models.js';
import { linesOf } from '../rest/ndjson.js';

/** One entry to import, and where it stands. */
export interface ImportRecord {
  /** `file`, `file:line` or `file#issuers[3]`. */
  place: string;
  kind: CatalogKind;
  /** The line for the operator's API. */
  line: string;
}

/** Something that cannot be imported, and why. */
export interface ImportFault {
  place: string;
  message: string;
}

/** A JSON file is read whole; lines of NDJSON are not. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;
const NDJSON = /\.(ndjson|jsonl)$/i;
const IMPORTABLE = /\.(json|ndjson|jsonl)$/i;

/** The files of the given paths; folders give everything importable below them, in the order of names. */
export async function filesOf(paths: readonly string[]): Promise<{ files: string[]; faults: ImportFault[] }> {
  const files: string[] = [];
  const faults: ImportFault[] = [];
  for (const path of paths) {
    try {
      if ((await stat(path)).isDirectory()) files.push(...(await filesBelow(path)));
      else files.push(path);
    } catch (error) {
      faults.push({ place: path, message: fileFault(error) });
    }
  }
  return { files, faults };
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile() && IMPORTABLE.test(entry.name));
  return found.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** Reads one file. Faults are handed to `onFault`; what is sound in the file comes all the same. */
export async function* recordsOf(file: string, onFault: (fault: ImportFault) => void): AsyncGenerator<ImportRecord> {
  try {
    if (NDJSON.test(file)) yield* recordsOfLines(file, onFault);
    else yield* recordsOfJson(file, onFault);
  } catch (error) {
    onFault({ place: file, message: fileFault(error) });
  }
}

async function* recordsOfLines(file: string, onFault: (fault: ImportFault) => void): AsyncGenerator<ImportRecord> {
  let number = 0;
  for await (const line of linesOf(createReadStream(file), MAX_LINE_LENGTH)) {
    number += 1;
    if (line.trim() === '') continue;
    const place = `${file}:${number}`;
    try {
      yield record(place, JSON.parse(line));
    } catch (error) {
      onFault({ place, message: messageOf(error) });
    }
  }
}

async function* recordsOfJson(file: string, onFault: (fault: ImportFault) => void): AsyncGenerator<ImportRecord> {
  if ((await stat(file)).size > MAX_JSON_BYTES)
    throw new Error('is larger than 64 MiB; write it as NDJSON, one entry a line');
  const text = await readFile(file, 'utf8');
  for (const [at, value] of entriesOf(parseJson(text))) {
    const place = `${file}${at}`;
    try {
      yield record(place, value);
    } catch (error) {
      onFault({ place, message: messageOf(error) });
    }
  }
}

/** A file's JSON as entries: a list, a bundle by kind, one entry, or one JSON Schema document. */
function* entriesOf(json: unknown): Generator<[string, unknown]> {
  if (Array.isArray(json)) {
    for (const [index, value] of json.entries()) yield [`[${index}]`, value];
  } else if (isBundle(json)) {
    for (const kind of CATALOG_KINDS) {
      const entries: unknown = json[kind] ?? [];
      if (!Array.isArray(entries)) throw new Error(`"${kind}" must be a list`);
      for (const [index, value] of entries.entries()) yield [`#${kind}[${index}]`, { kind, ...(value as object) }];
    }
  } else {
    yield ['', json];
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBundle(json: unknown): json is Partial<Record<CatalogKind, unknown>> {
  return (
    isObject(json) &&
    Object.keys(json).length > 0 &&
    Object.keys(json).every((key) => (CATALOG_KINDS as readonly string[]).includes(key))
  );
}

/** An entry `{kind, id, …}`, or a JSON Schema document, as a line of the operator's API. */
function record(place: string, value: unknown): ImportRecord {
  if (!isObject(value)) throw new Error('is not a JSON object');
  if (typeof value.kind !== 'string') {
    const { schemaId } = schemaFromDocument(value);
    return { place, kind: 'schemas', line: JSON.stringify({ kind: 'schemas', id: schemaId, jsonSchema: value }) };
  }
  const kind = CATALOG_KINDS.find((known) => known === value.kind);
  if (!kind) throw new Error(`"kind" must be one of ${CATALOG_KINDS.join(', ')}; ${JSON.stringify(value.kind)} is not`);
  return { place, kind, line: JSON.stringify(value) };
}

/** @throws Error that says where the text stops being JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = Number(/position (\d+)/.exec(messageOf(error))?.[1] ?? Number.NaN);
    if (Number.isNaN(position)) throw new Error('is not JSON: it ends too early', { cause: error });
    const before = text.slice(0, position).split('\n');
    throw new Error(`is not JSON at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`, {
      cause: error,
    });
  }
}

function fileFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    { ENOENT: 'there is no such file', EACCES: 'this user may not read it', EISDIR: 'is a folder' }[code] ??
    messageOf(error)
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
