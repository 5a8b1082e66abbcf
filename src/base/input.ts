// Checks outside data against zod schemas: the error names the first invalid field in one plain sentence (contract §1, "400 bad input").
import { z } from 'zod';
import { badInput, type DomainError } from './errors.js';

/** The noun for members of checked data in messages. */
export type MemberNoun = 'field' | 'query parameter';

/**
 * Checks outside data against a zod schema and returns the schema's output.
 * @throws DomainError BAD_USER_INPUT naming the first invalid field.
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, noun: MemberNoun = 'field'): T {
  // A schema's own message comes first, then our sentences, then zod's.
  const parsed = schema.safeParse(value, { error: sentenceOf });
  if (parsed.success) return parsed.data;
  throw firstProblem(parsed.error, noun, value);
}

function firstProblem(error: z.ZodError, noun: MemberNoun, value: unknown): DomainError {
  const issue = error.issues[0];
  if (issue === undefined) return badInput('The body does not have the required form.');
  if (issue.code === 'unrecognized_keys') {
    const field = fieldOf([...issue.path, issue.keys[0] ?? '']);
    return badInput(`"${field}" is not a ${noun} that is known here.`, field);
  }
  const field = fieldOf(issue.path);
  if (noun === 'query parameter' && Array.isArray(Object(value)[field]))
    return badInput(`"${field}" is given more than once.`, field);
  return badInput(`${field === '' ? 'The body' : `"${field}"`} ${issue.message}.`, field === '' ? undefined : field);
}

type Issue = z.core.$ZodRawIssue;
type IssueOf<C extends Issue['code']> = Extract<Issue, { code: C }>;

/** Plain words for zod's types. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
  int: 'a whole number',
  boolean: 'true or false',
  date: 'a date',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  uuid: 'a UUID',
  guid: 'a UUID',
  url: 'a URL',
  datetime: 'a date-time in ISO 8601',
  date: 'a date in ISO 8601',
};

/** The rest of a sentence that begins with the field: an error map of zod, for schemas that check parts by themselves. */
export function sentenceOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${TYPES[issue.expected] ?? `a ${issue.expected}`}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return `must ${bounded(issue.origin, 'at most', Number(issue.maximum))}`;
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'of the form that is described for it'}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return 'does not fit';
  }
}

function tooSmall({ origin, minimum }: IssueOf<'too_small'>): string {
  if (Number(minimum) === 1 && !NUMBERS.includes(origin)) return 'must not be empty';
  return `must ${bounded(origin, 'at least', Number(minimum))}`;
}

const NUMBERS: readonly string[] = ['number', 'int', 'bigint', 'date'];

function bounded(origin: string, side: 'at least' | 'at most', bound: number): string {
  if (NUMBERS.includes(origin)) return `be ${side} ${bound}`;
  return `have ${side} ${bound} ${origin === 'string' ? 'characters' : 'entries'}`;
}

/** Longest field name in a message; a name may be as long as a body. */
const MAX_FIELD = 200;

/** A zod path in the form `jwks.keys[0].kid`. */
export function fieldOf(path: readonly PropertyKey[]): string {
  const field = path.reduce<string>(
    (before, key) => (typeof key === 'number' ? `${before}[${key}]` : `${before}${before && '.'}${String(key)}`),
    '',
  );
  return field.slice(0, MAX_FIELD);
}

/** A date-time with its zone, in days that exist. RFC 3339 has seconds; many programs leave them out. */
const DATE_TIME = new RegExp(
  [{}, { precision: -1 }].map((form) => z.core.regexes.datetime({ ...form, offset: true }).source).join('|'),
);

/** The rest of a sentence about a value that is refused. */
type Sentence = string | ((issue: { input?: unknown }) => string);

/** A date-time in ISO 8601 with its zone; the seconds may be left out, as in `2037-06-30T12:00Z`. It stays a text. */
export const dateTime = (error: Sentence = 'must be a date-time in ISO 8601') =>
  z.string({ error }).regex(DATE_TIME, { error }).meta({ format: 'date-time' });

/** A UUID, in lower case. */
export const lowerUuid = z.guid('must be a UUID').transform((text) => text.toLowerCase());

/** A whole number in a query string. */
export const wholeNumber = (min: number, max: number) => {
  const sentence = `must be a whole number from ${min} to ${max}`;
  const number = z
    .string()
    .regex(/^\d{1,9}$/, sentence)
    .transform(Number);
  const bounded = number.refine((value) => value >= min && value <= max, sentence);
  return bounded.meta({ type: 'integer', minimum: min, maximum: max, pattern: undefined });
};

/** How many entries a page of a list has by default, and at most. */
interface PageSize {
  usual: number;
  most: number;
}
/** Page sizes of REST's lists. */
export const PAGE_SIZE = { usual: 25, most: 100 } as const;
/** Page sizes of GraphQL's lists. */
export const CONNECTION_SIZE = { usual: 10, most: 100 } as const;

/**
 * The `limit` of every list of REST: how many entries a page has. @param size if the list has another one than
 * `PAGE_SIZE`.
 */
export const pageLimit = ({ usual, most }: PageSize = PAGE_SIZE) => wholeNumber(1, most).default(usual);

/**
 * The `first` of a list of GraphQL: how many entries a page has. @param size if the list has another one than
 * `CONNECTION_SIZE`.
 */
export function pageFirst({ usual, most }: PageSize = CONNECTION_SIZE) {
  const sentence = `must be a whole number from 1 to ${most}`;
  const number = z.int(sentence).min(1, sentence).max(most, sentence);
  return number.default(usual).describe(`How many: 1 to ${most}, default ${usual}.`);
}

/** The same check for arguments that no schema has checked. @throws DomainError BAD_USER_INPUT naming the argument. */
export function checkedFirst(
  first: number | null | undefined,
  { usual, most }: PageSize = CONNECTION_SIZE,
  field = 'first',
): number {
  const size = first ?? usual;
  if (Number.isInteger(size) && size >= 1 && size <= most) return size;
  throw badInput(`"${field}" must be a whole number from 1 to ${most}; ${size} is not.`, field);
}

/** The `page` of lists that are counted, from 1. */
export const pageNumber = wholeNumber(1, 10_000).default(1);

/** The query of the operator's lists: pages of 1 to 100, 25 by default (contract §7). */
export const adminPage = z.strictObject({ page: pageNumber, limit: pageLimit() });
export type AdminPage = z.output<typeof adminPage>;
