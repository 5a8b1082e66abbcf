// The parts of two versions in words: labels of the form, no names of members and no JSON.
import { labelOf } from '../../api/fault.js';
import type { Place } from './merge.js';

/** Members of entries that forms call otherwise. */
const PARTS: Readonly<Record<string, string>> = {
  isRequired: 'Must be there',
  verificationConditions: 'Conditions',
  credentialId: 'Id of the credential',
  kid: 'Id of the key',
};
/** Of an entry's own id, such as a condition, nothing is changed. */
const partOf = (name: string): string => PARTS[name] ?? (/^[a-z][A-Za-z]*$/.test(name) ? labelOf(name) : name);

/**
 * Which part it is, such as `Data points › level › Title`.
 * @param labels of the form, by member
 * @param versions of the record: where one has a list, the entry's own id comes next, which stays as it is
 */
export function placeWords(
  [member = '', ...inner]: Place,
  labels: Readonly<Record<string, string>>,
  versions: readonly Readonly<Record<string, unknown>>[],
): string {
  const isList = versions.some((version) => Array.isArray(version[member]));
  const words = inner.map((name, index) => (isList && index === 0 ? name : partOf(name)));
  return [labels[member] ?? labelOf(member), ...words].join(' › ');
}

/** A value as a person would write it. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '(nothing)';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(textOf).join('\n') || '(nothing)';
  if (typeof value !== 'object') return String(value);
  const members = Object.entries(value).map(([name, inner]) => `${partOf(name)}: ${textOf(inner)}`);
  return members.join('\n') || '(nothing)';
}
