// Converts typed text to the values of an entry, and back.
import type { EntryValues, FieldForm, FieldType } from './forms.js';

/** What is wrong with a field. */
export class FieldFault extends Error {
  constructor(
    readonly field: string,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** Integers that would become other numbers when they are written back. */
const LONG_INTEGERS = /(?<![\d.])-?\d{16,}(?![\d.eE])/g;
const STRINGS = /"(?:[^"\\]|\\.)*"/g;

/**
 * Reads JSON.
 * @throws Error with a sentence for text that is not JSON, and for integers that a double cannot represent.
 */
export function readExactly<Data>(text: string): Data {
  for (const literal of text.replace(STRINGS, '""').match(LONG_INTEGERS) ?? [])
    if (!Number.isSafeInteger(Number(literal)))
      throw new Error(`This page cannot hold the number ${literal.slice(0, 40)}; write the entry by REST.`);
  try {
    return JSON.parse(text) as Data;
  } catch {
    throw new Error('This is not JSON.');
  }
}

/** The length of `2026-01-31T12:00:00`, as the fields of times show it; seconds are enough. */
const SECONDS = 19;

type Key = { kid: string; publicKeyMultibase: string };

const SHOWN: Partial<Record<FieldType, (value: unknown) => string>> = {
  json: (value) => JSON.stringify(value, null, 2),
  time: (value) => String(value).slice(0, SECONDS),
  keys: (value) => (value as Key[]).map(({ kid, publicKeyMultibase }) => `${kid} ${publicKeyMultibase}`).join('\n'),
  lines: (value) => (value as string[]).join('\n'),
  secret: () => '',
};

/** The text that the field of an entry shows for a value. */
export function textOf({ type }: Pick<FieldForm, 'type'>, value: unknown): string {
  if (value === null || value === undefined) return '';
  return SHOWN[type]?.(value) ?? String(value);
}

type Accepted = { credentialId: string; verificationConditions: readonly string[] };

/** The accepted credentials; their conditions without empty lines. */
const accepted = (value: readonly Accepted[]): Accepted[] =>
  value.map(({ credentialId, verificationConditions }) => ({
    credentialId,
    verificationConditions: verificationConditions.map((line) => line.trim()).filter((line) => line !== ''),
  }));

type Reading = (text: string, field: FieldForm) => unknown;

const whole: Reading = (text, { name }) => {
  if (text === '') return null;
  if (!/^\d{1,10}$/.test(text)) throw new FieldFault(name, 'This is not a whole number.');
  return Number(text);
};

const keys: Reading = (text, { name }) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): Key => {
      const [kid, publicKeyMultibase, ...others] = line.trim().split(/\s+/);
      if (kid === undefined || publicKeyMultibase === undefined || others.length > 0)
        throw new FieldFault(name, 'Each line has a name, a space and a key.');
      return { kid, publicKeyMultibase };
    });

const json: Reading = (text, { name, isRequired }) => {
  if (text.trim() === '' && !isRequired) return null;
  try {
    return readExactly(text);
  } catch (error) {
    throw new FieldFault(name, (error as Error).message);
  }
};

const READINGS: Partial<Record<FieldType, Reading>> = {
  line: (text, { isRequired }) => (text === '' && !isRequired ? null : text),
  secret: (text) => (text === '' ? undefined : text),
  time: (text) => (text === '' ? null : new Date(`${text}Z`).toISOString()),
  whole,
  keys,
  json,
  lines: (text) => text.split(/\s+/).filter((line) => line !== ''),
};

/**
 * An entry with the typed values; other fields stay as they were.
 * @throws FieldFault for the first field whose text is no value of its type
 */
export function withTyped(entry: EntryValues, typed: EntryValues, fields: readonly FieldForm[]): EntryValues {
  const values = fields
    .filter(({ name }) => name in typed)
    .map((field) => {
      const value = typed[field.name];
      if (field.type === 'accepted') return [field.name, accepted(value as Accepted[])] as const;
      const reading = READINGS[field.type];
      return [field.name, reading ? reading(String(value ?? ''), field) : value] as const;
    });
  // What was cleared may have no field any more, such as a schema's document.
  const cleared = Object.entries(typed).filter(([, value]) => value === null);
  return { ...entry, ...Object.fromEntries(cleared), ...Object.fromEntries(values) };
}
