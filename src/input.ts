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

const ARTICLE: Readonly<Record<string, string>> = { array: 'an array', object: 'an object', record: 'an object' };

function sentenceOf(issue: z.core.$ZodIssue): string {
  // A fraction where a whole number belongs has a sentence of its own.
  // zod's own sentence for a choice; routes may have theirs.
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid'))
    return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.join(', ')}`;
  if (issue.code !== 'invalid_type' || issue.expected === 'int') return issue.message;
  if (issue.input === undefined) return 'is missing';
  return `must be ${ARTICLE[issue.expected] ?? `a ${issue.expected}`}`;
}

/** What is told of a name, which may be as long as a body. */
const MAX_FIELD = 200;

/** `jwks.keys[0].kid` of a zod path. */
function fieldOf(path: readonly PropertyKey[]): string {
  const field = path.reduce<string>(
    (before, key) => (typeof key === 'number' ? `${before}[${key}]` : `${before}${before && '.'}${String(key)}`),
    '',
  );
  return field.slice(0, MAX_FIELD);
}
