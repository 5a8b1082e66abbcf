// The table of sent commands: for each command, the options and operators that it may have.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usesOf } from './operators.js';
import { type Doc, docsIn } from './values.js';

export const TABLE = join(import.meta.dirname, 'sent-commands.txt');

/** The options and operators that commands of one name may have. */
interface Row {
  options: Set<string>;
  operators: Set<string>;
}

/**
 * Options that any command may have: they depend on sessions, deadlines and transactions, which have rules of their
 * own.
 */
const ANYWHERE: ReadonlySet<string> = new Set([
  ...['lsid', 'txnNumber', 'startTransaction', 'autocommit', 'readConcern', 'writeConcern', 'maxTimeMS', 'comment'],
  ...['apiVersion', 'apiStrict', 'apiDeprecationErrors'],
]);

/** Commands that need no row in the table: the driver sends them by itself, for long results and when sessions end. */
const BY_THE_DRIVER: ReadonlySet<string> = new Set([
  ...['hello', 'ping', 'getMore', 'killCursors', 'endSessions', 'commitTransaction', 'abortTransaction'],
]);

/** The line of the table that allows exactly this command; undefined for a command that needs none. */
export function lineOf(command: Doc): string | undefined {
  const [name = ''] = Object.keys(command);
  if (BY_THE_DRIVER.has(name)) return undefined;
  const options = Object.keys(command)
    .slice(1)
    .filter((name) => !ANYWHERE.has(name) && !name.startsWith('$'));
  for (const list of ['updates', 'deletes', 'indexes'] as const)
    for (const statement of docsIn(command[list]))
      options.push(...Object.keys(statement).map((name) => `${list}.${name}`));
  const operators = [...usesOf(command).operators].map((use) => use.slice(use.lastIndexOf(' ') + 1));
  return lineOfRow(name, { options: new Set(options), operators: new Set(operators) });
}

const lineOfRow = (name: string, { options, operators }: Row): string =>
  `${name}: ${[...options].sort().join(' ')} | ${[...operators].sort().join(' ')}`.trimEnd();

function rowOf(line: string): [name: string, row: Row] {
  const [name = '', rest = ''] = line.split(': ');
  const [options = '', operators = ''] = rest.split('|').map((part) => part.trim());
  const wordsOf = (part: string): Set<string> => new Set(part.split(' ').filter(Boolean));
  return [name, { options: wordsOf(options), operators: wordsOf(operators) }];
}

export class Table {
  readonly #rows = new Map<string, Row>();

  constructor(lines: readonly string[]) {
    for (const line of lines) this.add(line);
  }

  static read(): Table {
    return new Table(existsSync(TABLE) ? readFileSync(TABLE, 'utf8').split('\n').filter(Boolean) : []);
  }

  /** What the table lacks to allow this line; undefined if it allows the line. */
  lacks(line: string | undefined): string | undefined {
    if (line === undefined) return undefined;
    const [name, { options, operators }] = rowOf(line);
    const row = this.#rows.get(name);
    if (row === undefined) return `no row \`${name}\``;
    const more = [...options, ...operators].filter((word) => !row.options.has(word) && !row.operators.has(word));
    return more.length === 0 ? undefined : `\`${more.join(' ')}\` in its row \`${name}\``;
  }

  add(line: string): void {
    const [name, { options, operators }] = rowOf(line);
    const row = this.#rows.get(name) ?? { options: new Set(), operators: new Set() };
    for (const word of options) row.options.add(word);
    for (const word of operators) row.operators.add(word);
    this.#rows.set(name, row);
  }

  text(): string {
    return [...this.#rows]
      .map(([name, row]) => `${lineOfRow(name, row)}\n`)
      .sort()
      .join('');
  }
}

/** Adds a line at the end of the table. All processes of a run do so; `mergeLines` sorts the lines in afterwards. */
export const recordLine = (line: string): void => appendFileSync(TABLE, `${line}\n`);

export function mergeLines(): void {
  writeFileSync(TABLE, Table.read().text());
}
