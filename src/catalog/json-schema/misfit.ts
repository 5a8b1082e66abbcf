// Converts ajv's errors to messages in the style of base/input.ts: one sentence that begins with the field.
import type { ErrorObject } from 'ajv';

/** The first part of a value that does not fit: its path below the value, `tags[0].name`, and the rest of the sentence. */
export interface Misfit {
  path: string;
  message: string;
}

/** Listed values and alternatives; more are counted. */
const MAX_LISTED = 8;
const MAX_VALUE = 100;

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

const LIMITS: Readonly<Record<string, string>> = {
  minLength: 'have at least # characters',
  maxLength: 'have at most # characters',
  minItems: 'have at least # entries',
  maxItems: 'have at most # entries',
  minProperties: 'have at least # members',
  maxProperties: 'have at most # members',
  minimum: 'be at least #',
  maximum: 'be at most #',
  exclusiveMinimum: 'be more than #',
  exclusiveMaximum: 'be less than #',
};

/** The misfit of a failed check. Ajv reports what failed within `anyOf` and the like first, and the whole last. */
export function misfitOf(errors: readonly ErrorObject[]): Misfit {
  const whole = errors.at(-1);
  if (whole === undefined) return { path: '', message: 'does not fit' };
  const path = partsOf(whole.instancePath);
  if (whole.keyword === 'required')
    return { path: pathOf([...path, whole.params.missingProperty]), message: 'is missing' };
  const parts = errors.slice(0, -1);
  if (whole.keyword === 'if' && parts.length > 0) return misfitOf(parts);
  // Alternatives are listed when each has failed at this very path: a deeper failure concerns one of them only.
  const areNamed = fitsNone(whole) && parts.every(({ instancePath }) => instancePath === whole.instancePath);
  return { path: pathOf(path), message: areNamed ? anyOf(parts.map(sentenceOf)) : sentenceOf(whole) };
}

const fitsNone = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'anyOf' || (keyword === 'oneOf' && params.passingSchemas === null);

function anyOf(sentences: readonly string[]): string {
  const different = [...new Set(sentences)];
  return different.length === 0 || different.length > MAX_LISTED
    ? 'fits none of the alternatives'
    : different.join(' or ');
}

function sentenceOf({ keyword, params }: ErrorObject): string {
  const limit = LIMITS[keyword];
  if (limit !== undefined) return `must ${singular(limit.replace('#', String(params.limit)))}`;
  switch (keyword) {
    case 'type':
      return `must be ${[params.type].flat().map(typeText).join(' or ')}`;
    case 'enum':
      return `must be one of ${listed(params.allowedValues)}`;
    case 'const':
      return `must be ${valueText(params.allowedValue)}`;
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return `must have "${short(params.missingProperty)}"`;
    case 'additionalProperties':
      return `must not have "${short(params.additionalProperty)}"`;
    case 'unevaluatedProperties':
      return `must not have "${short(params.unevaluatedProperty)}"`;
    case 'propertyNames':
      return `must not have a member named "${short(params.propertyName)}"`;
    case 'pattern':
      return `must match the pattern ${short(params.pattern)}`;
    case 'format':
      return `must have the format ${params.format}`;
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}`;
    case 'uniqueItems':
      return 'must not have the same entry twice';
    case 'contains':
      return singular(`must have ${countText(params)} entries as described by "contains"`);
    case 'items':
    case 'additionalItems':
    case 'unevaluatedItems':
      return singular(`must have at most ${params.limit} entries`);
    case 'oneOf':
      return params.passingSchemas === null
        ? 'fits none of the alternatives'
        : 'fits two alternatives, and may fit one only';
    case 'false schema':
      return 'must not be there';
    case 'anyOf':
      return 'fits none of the alternatives';
    default:
      return `does not fit what "${keyword}" says`;
  }
}

const countText = ({ minContains, maxContains }: Record<string, unknown>): string =>
  maxContains === undefined ? `at least ${minContains}` : `${minContains} to ${maxContains}`;

const singular = (text: string): string =>
  text.replace(/ 1 (?:(entr)ies|(member|character)s)/, (_, entry, other) => ` 1 ${entry ? 'entry' : other}`);

const typeText = (type: string): string => TYPES[type] ?? `a ${type}`;

function listed(values: readonly unknown[]): string {
  const more = values.length - MAX_LISTED;
  const texts = values.slice(0, MAX_LISTED).map(valueText);
  return texts.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const valueText = (value: unknown): string => short(JSON.stringify(value));

const short = (text: unknown): string => String(text).slice(0, MAX_VALUE);

/** The parts of a JSON pointer (RFC 6901). */
const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

const pathOf = (parts: readonly string[]): string =>
  parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : `${path}${path && '.'}${short(part)}`), '');
