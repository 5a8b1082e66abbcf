// The formats that documents may ask of texts: those of ajv-formats in full, with times and days as RFC 3339 has them.
import type { Ajv } from 'ajv';
import formats, { type FormatsPlugin } from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';

const validatorOf = (format: unknown) => (format as { validate: (text: string) => boolean }).validate;
const isDate = validatorOf(fullFormats.date);
const isLooseTime = validatorOf(fullFormats.time);

const RFC_3339_TIME = /^(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;
const LEAP_SECOND = /:60(?=\D)/;

/** Adds the formats. A format with another name is not checked. */
export function addFormats(ajv: Ajv): void {
  (formats as unknown as FormatsPlugin)(ajv, { mode: 'full' });
  ajv.addFormat('time', isTime).addFormat('date-time', isDateTime);
}

/** ajv-formats also accepts offsets without minutes, an hour 24 in leap seconds, and 59.999… as 60. */
const isTime = (text: string): boolean => RFC_3339_TIME.test(text) && isLooseTime(text.replace(/\.\d+/, ''));

function isDateTime(text: string): boolean {
  const [date = '', time = '', ...others] = text.split(/t/i);
  return others.length === 0 && isDate(date) && isTime(time) && (!LEAP_SECOND.test(time) || isLeapSecond(text));
}

/** Leap seconds are the last of a month in UTC. */
function isLeapSecond(text: string): boolean {
  const before = Date.parse(text.toUpperCase().replace(LEAP_SECOND, ':59').replace(/\.\d+/, ''));
  return !Number.isNaN(before) && new Date(before + 1_000).toISOString().endsWith('-01T00:00:00.000Z');
}
