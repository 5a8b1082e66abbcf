// Outside data against zod schemas: the first offending field is named, in one sentence (contract §1, "400 bad input").
import type { z } from 'zod';
import { badInput, type DomainError } from './errors.js';

/**
 * Checks outside data against a zod schema and answers what the schema makes of it.
 * @throws DomainError BAD_USER_INPUT that names the first offending field.
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw firstProblem(parsed.error);
}

function firstProblem(error: z.ZodError): DomainError {
  const issue = error.issues[0];
  if (issue === undefined) return badInput('The body does not fit.');
  if (issue.code === 'unrecognized_keys') {
    const field = fieldOf([...issue.path, issue.keys[0] ?? '']);
    return badInput(`"${field}" is not a field that is known here.`, field);
  }
  const field = fieldOf(issue.path);
  return field === ''
    ? badInput(`The body ${sentenceOf(issue)}.`)
    : badInput(`"${field}" ${sentenceOf(issue)}.`, field);
}

const ARTICLE: Readonly<Record<string, string>> = { array: 'an array', object: 'an object' };

function sentenceOf(issue: z.core.$ZodIssue): string {
  // A fraction where a whole number belongs has a sentence of its own.
  if (issue.code !== 'invalid_type' || issue.expected === 'int') return issue.message;
  if (issue.input === undefined) return 'is missing';
  return `must be ${ARTICLE[issue.expected] ?? `a ${issue.expected}`}`;
}

/** `jwks.keys[0].kid` of a zod path. */
function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (field, key) => (typeof key === 'number' ? `${field}[${key}]` : `${field}${field === '' ? '' : '.'}${String(key)}`),
    '',
  );
}
