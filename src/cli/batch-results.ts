// The result file of `issue-batch`, with one line for each row. A row that it lists as issued is not sent again.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import { parse } from 'csv-parse/sync';
import { badInput, DomainError } from '../base/errors.js';
import type { BatchFileRow } from '../common/batch-row.js';
import { csvCell, csvLine } from '../common/csv-text.js';
import { canonicalEmail, sameEmail } from '../holders/email.js';
import type { FileRow } from './batch-file.js';
import { writeFault } from './file-fault.js';
import { countOf } from './output.js';

/** The result of a row. `REFUSED`: it was invalid and not sent; `SENT`: its batch was still running at the end of the run; `OMITTED`: left out. */
export interface RowOutcome {
  state: 'SENT' | 'ISSUED' | 'OFFERED' | 'CHECKED' | 'FAILED' | 'CANCELLED' | 'REFUSED' | 'OMITTED';
  coreClaimHash: string;
  userUuid: string;
  code: string;
  message: string;
  /** The number of times that it was sent. */
  attempt: number;
  /** Hash of the sent content; empty for a row that was not sent. */
  content: string;
  /** As spelled in the file. */
  email: string;
  /** The batch that it was sent in; empty for a row that was not sent. */
  job: string;
  offerId?: string;
  /** For the recipient alone: whoever has it, and the transaction code, can take the credential. */
  offerUri?: string;
  txCode?: string;
  expiresAt?: string;
}

/** Its columns, and what to do about rows that cannot be sent as they are. */
interface ResultKind {
  columns: readonly string[];
  changed: string;
  same: string;
}

const SENT_ONCE = ['code', 'message', 'attempt', 'content', 'run'];
const ISSUANCES: ResultKind = {
  columns: ['row', 'email', 'state', 'coreClaimHash', 'userUuid', ...SENT_ONCE, 'job'],
  changed:
    '--on-duplicate revoke issues these rows again and revokes their earlier credentials; --on-duplicate ignore leaves them as they are.',
  same: 'Take out all but one of these rows, or give --on-duplicate: revoke issues each of them and leaves the holder the last credential, ignore issues only one.',
};

/** Results with offers. */
export const OFFERS: ResultKind = {
  columns: [
    ...['row', 'email', 'state', 'offerUri', 'txCode', 'expiresAt', 'offerId', 'userUuid', 'coreClaimHash'],
    ...SENT_ONCE,
  ],
  changed:
    '--on-duplicate revoke withdraws these offers and makes others; --on-duplicate ignore leaves them as they are.',
  same: 'Take out all but one of these rows, or give --on-duplicate: each of them is offered; with revoke the holder keeps the credential that is taken last, with ignore the one that is taken first.',
};

/** Hash of a row's content, whatever the order of its columns; empty for an invalid row. */
export function contentOf(row: FileRow): string {
  if ('message' in row) return '';
  return hashOf(canonicalize(membersOf(row)) ?? '');
}

/** Whether an outcome belongs to a row's present content. In result files of earlier versions the hash depends on the order of the columns. */
function isOf(outcome: RowOutcome | undefined, row: FileRow): boolean {
  if ('message' in row) return outcome?.content === '';
  return [contentOf(row), hashOf(JSON.stringify(membersOf(row)))].includes(outcome?.content ?? '');
}

const membersOf = ({ email, expiresAt, credentialSubject }: BatchFileRow): unknown[] => [
  email,
  expiresAt ?? null,
  credentialSubject,
];
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

export const isDone = (outcome: RowOutcome | undefined): boolean =>
  ['ISSUED', 'OFFERED'].includes(outcome?.state ?? '');

/** What a row says whose recipient has a live credential of the kind. */
export const HELD = 'The recipient has a live credential of this kind already.';

/** The result of a row that is left out. */
export const OMITTED = { state: 'OMITTED', coreClaimHash: '', userUuid: '', code: '', message: HELD } as const;

/** The word for a row that is done: issued or offered. */
const doneWord = (outcome: RowOutcome | undefined): string => outcome?.state.toLowerCase() ?? '';

/** Bytes that a row's result adds to its line. */
const ROOM_OF_RESULT = 800;

/** The result file of one run. */
export class BatchResults {
  readonly #outcomes = new Map<string, RowOutcome>();

  /** @param run the name of the run, which is in each line. */
  constructor(
    readonly file: string,
    private readonly run: string,
    readonly kind = ISSUANCES,
  ) {}

  /** The results of this run; empty without a file. @throws DomainError BAD_USER_INPUT if the file belongs to another run. */
  static read(file: string, run: string, kind = ISSUANCES): BatchResults {
    const results = new BatchResults(file, run, kind);
    if (!existsSync(file)) return results;
    for (const { row = '', run: ofRun, attempt, ...line } of linesOf(file)) {
      if (ofRun !== run)
        throw badInput(
          `${file} holds results of something else: another file, issuer, credential or run. Give --result or --run, or move it away.`,
        );
      results.#outcomes.set(row, {
        ...(line as unknown as RowOutcome),
        // A hash may begin with a formula's character.
        content: line.content?.replace(/^'/, '') ?? '',
        job: line.job ?? '',
        attempt: Number(attempt),
      });
    }
    return results;
  }

  get(rowKey: string): RowOutcome | undefined {
    return this.#outcomes.get(rowKey);
  }

  set(rowKey: string, outcome: RowOutcome): void {
    this.#outcomes.set(rowKey, outcome);
  }

  /** The rows of the file, in its order. */
  entries(): IterableIterator<[string, RowOutcome]> {
    return this.#outcomes.entries();
  }

  /** Replaces the file by a new one with a line for each of these rows. @throws DomainError BAD_USER_INPUT, one sentence. */
  save(rows: readonly FileRow[]): void {
    this.#draft(this.#text(rows), (draft) => renameSync(draft, this.file));
  }

  /** Writes the file that `save` would write, and removes it again. @throws DomainError as `save` does. */
  trySave(rows: readonly FileRow[]): void {
    if (existsSync(this.file) && !statSync(this.file).isFile())
      throw badInput(`${this.file} cannot be written: it is not a file.`);
    this.#draft(this.#text(rows) + ' '.repeat(ROOM_OF_RESULT * rows.length), () => {});
  }

  /** Writes a temporary file, which is removed after `use`. */
  #draft(text: string, use: (draft: string) => void): void {
    const draft = `${this.file}.${process.pid}`;
    try {
      writeFileSync(draft, text, { mode: 0o600 });
      use(draft);
    } catch (cause) {
      throw new DomainError('BAD_USER_INPUT', `${this.file} cannot be written: ${writeFault(cause)}.`, {}, { cause });
    } finally {
      if (existsSync(draft)) rmSync(draft);
    }
  }

  #text(rows: readonly FileRow[]): string {
    return csvLine(this.kind.columns) + rows.map(({ rowKey, email }) => this.#line(rowKey, email)).join('');
  }

  #line(row: string, email: string): string {
    const outcome = this.#outcomes.get(row);
    const values: Record<string, unknown> = { email, ...outcome, row, run: outcome && this.run };
    return csvLine(this.kind.columns.map((column) => String(values[column] ?? '')));
  }
}

function linesOf(file: string): Record<string, string>[] {
  try {
    const lines: Record<string, string>[] = parse(readFileSync(file, 'utf8'), { columns: true, bom: true });
    // Rows without a state were never sent, or their run ended before the response arrived.
    return lines.filter(({ state }) => state !== '');
  } catch (cause) {
    throw new DomainError('BAD_USER_INPUT', `${file} cannot be read as a result file.`, {}, { cause });
  }
}

/** The rows that a run sends, and the notes that it prints first. */
export interface RunPlan {
  due: ReadonlySet<string>;
  notes: string[];
}

export interface RunOptions {
  retryFailed?: boolean;
  onDuplicate?: string;
}

/** The plan of a dry run: all rows, and notes on the rows that a run would refuse. */
export function checkPlanOf(rows: readonly FileRow[], { onDuplicate }: RunOptions): RunPlan {
  const due = new Set(rows.map(({ rowKey }) => rowKey));
  const notes = shortened(sameRecipients(rows, due));
  if (notes.length > 0 && onDuplicate === undefined) notes.push(`A run would send nothing. ${ISSUANCES.same}`);
  return { due, notes };
}

/**
 * Decides which rows are sent. @throws DomainError BAD_USER_INPUT, with instructions, if an issued row was changed or
 * two rows have the same recipient.
 */
export function planOf(rows: readonly FileRow[], results: BatchResults, options: RunOptions): RunPlan {
  refuseMoved(rows, results);
  const changed = rows.filter((row) => {
    const outcome = results.get(row.rowKey);
    return isDone(outcome) && !isOf(outcome, row);
  });
  const notes = changed.map(
    ({ rowKey, email }) => `row ${rowKey} (${email}) was changed after it was ${doneWord(results.get(rowKey))}`,
  );
  if (changed.length > 0 && options.onDuplicate === undefined)
    throw badInput(`${listOf(notes)}\nNothing was sent. ${results.kind.changed}`);
  const replaced = options.onDuplicate === 'revoke' ? changed : [];
  const open = rows.filter(({ rowKey }) => results.get(rowKey) === undefined);
  const isOmitted = ({ rowKey }: FileRow): boolean => results.get(rowKey)?.state === 'OMITTED';
  const failed = rows.filter(
    (row) => results.get(row.rowKey) !== undefined && !isDone(results.get(row.rowKey)) && !isOmitted(row),
  );
  // Left out until the command says what becomes of what their recipients have.
  const isTold = !options.retryFailed && ['ignore', 'revoke'].includes(options.onDuplicate ?? '');
  const toldOf = isTold ? rows.filter(isOmitted) : [];
  if (options.retryFailed && open.length > 0)
    throw badInput(
      `${countOf(open.length, 'row has', 'rows have')} no result in ${results.file} yet: run the same command without --retry-failed first.`,
    );
  const retried = options.retryFailed ? failed : [];
  const corrected = retried.filter((row) => !isOf(results.get(row.rowKey), row));
  notes.push(...corrected.map(({ rowKey, email }) => `row ${rowKey} (${email}) was changed after it failed`));
  const due = new Set([...open, ...retried, ...replaced, ...toldOf].map(({ rowKey }) => rowKey));
  const same = sameRecipients(rows, due);
  if (same.length > 0 && options.onDuplicate === undefined)
    throw badInput(`${listOf(same)}\nNothing was sent. ${results.kind.same}`);
  return { due, notes: shortened([...notes, ...same]) };
}

/** Messages about rows with the recipient of an earlier row; one of the two is due. */
function sameRecipients(rows: readonly FileRow[], due: ReadonlySet<string>): string[] {
  const firstOf = new Map<string, string>();
  return rows.flatMap((row) => {
    if ('message' in row) return [];
    const recipient = canonicalEmail(row.email);
    const first = firstOf.get(recipient);
    if (first === undefined) firstOf.set(recipient, row.rowKey);
    if (first === undefined || !(due.has(first) || due.has(row.rowKey))) return [];
    return [`row ${row.rowKey} (${row.email}) has the same recipient as row ${first}`];
  });
}

/** Refuses a file whose rows were moved: rows are identified by number, so an issued row must have the same recipient. */
function refuseMoved(rows: readonly FileRow[], results: BatchResults): void {
  const emails = new Map(rows.map(({ rowKey, email }) => [rowKey, csvCell(email)]));
  const strangers = [...results.entries()].filter(
    ([row, outcome]) => isDone(outcome) && !sameEmail(emails.get(row) ?? '', outcome.email),
  );
  if (strangers.length === 0) return;
  const lines = strangers.map(
    ([row, { email, state }]) =>
      `row ${row} was ${state.toLowerCase()} to ${email}, and is now ${emails.get(row) ?? 'gone'}`,
  );
  throw badInput(
    `${listOf(lines)}\nNothing was sent. Rows are identified by their number: restore these, and add new ones at the end.`,
  );
}

const MAX_LINES = 20;

/** The first lines, and how many more there are. */
export function shortened(lines: readonly string[]): string[] {
  if (lines.length <= MAX_LINES) return [...lines];
  return [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more`];
}

const listOf = (lines: readonly string[]): string => shortened(lines).join('\n');
