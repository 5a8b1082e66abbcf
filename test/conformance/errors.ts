// Checks what an operation threw against the format's expectError.
import { MongoBulkWriteError, MongoError, MongoServerError } from 'mongodb';
import type { Json } from './format.js';
import type { Matcher } from './match.js';

function hasLabel(error: Error, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}

type Check = (expected: unknown, error: MongoError, matcher: Matcher) => void;

function must(holds: boolean, sentence: string): void {
  if (!holds) throw new Error(sentence);
}

function labels(expected: unknown): string[] {
  return expected as string[];
}

const CHECKS: Record<string, Check> = {
  isError: () => {},
  isClientError: (expected, error) =>
    must(
      error instanceof MongoServerError !== expected,
      `expected ${expected ? 'a client' : 'a server'} error, got ${error.name}: ${error.message}`,
    ),
  errorContains: (expected, error) =>
    must(
      error.message.toLowerCase().includes(String(expected).toLowerCase()),
      `expected a message with "${expected}", got "${error.message}"`,
    ),
  errorCode: (expected, error) =>
    must(error.code === expected, `expected error code ${expected}, got ${error.code}: ${error.message}`),
  errorCodeName: (expected, error) => {
    const name = (error as MongoServerError).codeName;
    must(name === expected, `expected codeName ${expected}, got ${name}: ${error.message}`);
  },
  errorLabelsContain: (expected, error) => {
    for (const label of labels(expected)) must(hasLabel(error, label), `expected label ${label} on "${error.message}"`);
  },
  errorLabelsOmit: (expected, error) => {
    for (const label of labels(expected))
      must(!hasLabel(error, label), `unexpected label ${label} on "${error.message}"`);
  },
  errorResponse: (expected, error, matcher) => {
    const bulk = error instanceof MongoBulkWriteError ? (error.errorResponse as unknown) : undefined;
    matcher.match(expected, bulk ?? (error as MongoServerError).errorResponse, 'errorResponse');
  },
  expectResult: (expected, error, matcher) => {
    const result = (error as MongoBulkWriteError).result;
    matcher.match(expected, bulkResult(result), 'partial result');
  },
};

/** A bulk result's getters as plain fields, as the format names them. */
export function bulkResult(result: unknown): Json | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const from = result as Json;
  const fields = [
    'insertedCount',
    'matchedCount',
    'modifiedCount',
    'deletedCount',
    'upsertedCount',
    'upsertedIds',
    'insertedIds',
  ];
  return Object.fromEntries(fields.map((field) => [field, from[field]]));
}

/** Throws when `thrown` is not the error that was expected; unknown expectations are themselves an error. */
export function checkError(expected: Json, thrown: unknown, matcher: Matcher): void {
  if (!(thrown instanceof Error)) throw new Error(`expected an error, got ${String(thrown)}`);
  for (const [name, value] of Object.entries(expected)) {
    const check = CHECKS[name];
    if (!check) throw new Error(`the runner does not know expectError.${name}`);
    check(value, thrown as MongoError, matcher);
  }
}
