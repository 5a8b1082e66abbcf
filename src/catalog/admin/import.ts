// NDJSON import: lines in, one result for each line, in bounded memory. Lines are written in windows of one transaction each;
// in a window, kinds are written in dependency order, not in the order of the lines. Partners depend on nothing and are written one by one.

import { z } from 'zod';
import { DomainError, toDomainError } from '../../base/errors.js';
import { parseInput } from '../../base/input.js';
import { readJson } from '../../base/json/exact-json.js';
import { isJsonObject } from '../../base/json/json-object.js';
import { checkNesting } from '../../base/json/nesting.js';
import { checkUnicode, hasSurrogateEscape, REPLACEMENT } from '../../base/json/unicode.js';
import { mayNamePrototype, NAMES_PROTOTYPE, namesPrototype } from '../../common/prototype-names.js';
import { CATALOG_KINDS, type CatalogKind } from '../rows/models.js';
import { DOCUMENT_MEMBER } from './bodies.js';
import { FoldPace } from './fold-pace.js';
import type { PutItem, PutOutcome, PutResult } from './kind.js';

/** Lines of one window, and so of one transaction. */
const WINDOW_LINES = 1_000;
/** Characters after which a window ends early. */
const WINDOW_LENGTH = 4_000_000;
/** Longest line, in characters; readers of streams may cut a longer line to one character more. */
export const MAX_LINE_LENGTH = 1_000_000;

/** The kinds of lines, in an order that works for whole imports. */
export const IMPORT_KINDS = [...CATALOG_KINDS, 'partners'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** The result of one line; kind and id are null when the line does not state them. */
export interface ImportResult {
  /** 1-based; empty lines count, but have no result. */
  line: number;
  kind: string | null;
  id: string | null;
  result: PutResult | 'refused';
  /** Why it was refused. */
  message?: string;
}

/** A line of a window: an entry to write, or already refused. */
interface ImportLine {
  answer: ImportResult;
  kind?: ImportKind;
  item?: PutItem;
}

/** Writes entries of one kind or several in one transaction; outcomes in the order of the items. `isBulk`: counters may follow later. */
export type WriteWindow = (groups: readonly WriteGroup[], isBulk?: boolean) => Promise<PutOutcome[][]>;

/** Writes one partner. @throws DomainError when it is refused. */
export type WritePartner = (item: PutItem) => Promise<PutResult>;

export interface ImportWriters {
  catalog: WriteWindow;
  partner: WritePartner;
  /** Adds the stored counter changes to their rows. */
  fold(): Promise<void>;
}

export interface WriteGroup {
  kind: CatalogKind;
  items: readonly PutItem[];
}

type WriteGroups = (groups: readonly WriteGroup[]) => Promise<PutOutcome[][]>;

const lineShape = z.looseObject({ kind: z.string(), id: z.string() });

/** Imports NDJSON lines; see contract §7. Yields the results of each window, in the order of the lines. */
export async function* importLines(lines: AsyncIterable<string>, write: ImportWriters): AsyncGenerator<ImportResult[]> {
  let window: ImportLine[] = [];
  let length = 0;
  let number = 0;
  const folds = new FoldPace(() => write.fold());
  for await (const text of lines) {
    number += 1;
    if (text.trim() === '') continue;
    window.push(readLine(text, number));
    length += text.length;
    if (window.length < WINDOW_LINES && length < WINDOW_LENGTH) continue;
    const results = await writeWindow(window, write, true);
    await folds.written();
    yield results;
    window = [];
    length = 0;
  }
  const results = await writeWindow(window, write, false);
  // Before the last results, so that a client that has them reads the new counters.
  await folds.end();
  yield results;
}

function readLine(text: string, number: number): ImportLine {
  const answer: ImportResult = { line: number, kind: null, id: null, result: 'refused' };
  try {
    const { kind, id, ...body } = shapedLine(parseJson(text));
    Object.assign(answer, { kind, id });
    return { answer, kind: parseKind(kind), item: { id, body } };
  } catch (thrown) {
    return { answer: { ...answer, message: toDomainError(thrown).message } };
  }
}

/** @throws DomainError BAD_USER_INPUT for anything but an object with a kind and an id. */
function shapedLine(value: unknown): z.output<typeof lineShape> {
  const isShaped = isJsonObject(value) && typeof value.kind === 'string' && typeof value.id === 'string';
  return isShaped ? (value as z.output<typeof lineShape>) : parseInput(lineShape, value);
}

function parseJson(text: string): unknown {
  if (text.length > MAX_LINE_LENGTH) throw tooLong();
  if (text.includes(REPLACEMENT))
    throw new DomainError(
      'BAD_USER_INPUT',
      'The line is not text in UTF-8, or has U+FFFD, the character that replaces such bytes.',
    );
  const value = jsonOf(text);
  checkNesting(value, 'The line');
  if (mayNamePrototype(text) && namesPrototype(value))
    throw new DomainError('BAD_USER_INPUT', `The line ${NAMES_PROTOTYPE}.`);
  if (hasSurrogateEscape(text)) checkUnicode(value);
  return value;
}

function jsonOf(text: string): unknown {
  try {
    return readJson(text, { keeps: ([member]) => member === DOCUMENT_MEMBER });
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError('BAD_USER_INPUT', 'The line is not JSON.');
  }
}

const tooLong = () => new DomainError('PAYLOAD_TOO_LARGE', `The line is longer than ${MAX_LINE_LENGTH} characters.`);

function parseKind(kind: string): ImportKind {
  const importKind = IMPORT_KINDS.find((name) => name === kind);
  if (importKind !== undefined) return importKind;
  throw new DomainError('BAD_USER_INPUT', `"kind" must be one of ${IMPORT_KINDS.join(', ')}.`, { field: 'kind' });
}

/** Writes the window in one transaction. If that fails as a whole, writes line by line, so that one line cannot fail the others. */
async function writeWindow(
  window: readonly ImportLine[],
  write: ImportWriters,
  isBulk: boolean,
): Promise<ImportResult[]> {
  const catalog = (groups: readonly WriteGroup[]) => write.catalog(groups, isBulk);
  const groups = CATALOG_KINDS.map((kind) => ({ kind, lines: window.filter((line) => line.kind === kind) }));
  const filled = groups.filter(({ lines }) => lines.length > 0);
  try {
    await writeLines(filled, catalog);
  } catch (thrown) {
    if (toDomainError(thrown).code === 'STORE_UNAVAILABLE') throw thrown;
    for (const { kind, lines } of filled) for (const line of lines) await writeAlone(kind, line, catalog);
  }
  for (const line of window) if (line.kind === 'partners') await writePartner(line, write.partner);
  return window.map(({ answer }) => answer);
}

async function writePartner({ answer, item }: ImportLine, write: WritePartner): Promise<void> {
  if (item === undefined) return;
  try {
    answer.result = await write(item);
  } catch (thrown) {
    refuse(answer, thrown);
  }
}

/** Notes why a line was refused. @throws what was thrown while the store is away: the line may be good. */
function refuse(answer: ImportResult, thrown: unknown): void {
  const error = toDomainError(thrown);
  if (error.code === 'STORE_UNAVAILABLE') throw thrown;
  answer.message = error.message;
}

async function writeAlone(kind: CatalogKind, line: ImportLine, write: WriteGroups): Promise<void> {
  try {
    await writeLines([{ kind, lines: [line] }], write);
  } catch (thrown) {
    refuse(line.answer, thrown);
  }
}

async function writeLines(groups: readonly { kind: CatalogKind; lines: readonly ImportLine[] }[], write: WriteGroups) {
  const toWrite = groups.map(({ kind, lines }) => ({ kind, items: lines.flatMap(({ item }) => item ?? []) }));
  const written = await write(toWrite);
  for (const [group, { lines }] of groups.entries()) {
    for (const [at, { answer }] of lines.entries()) note(answer, written[group]?.[at]);
  }
}

function note(answer: ImportResult, outcome: PutOutcome | undefined): void {
  if (outcome === undefined) return;
  if ('refused' in outcome) answer.message = outcome.refused.message;
  else answer.result = outcome.result;
}
