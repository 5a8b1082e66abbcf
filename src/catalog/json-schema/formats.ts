// The formats that documents may ask of texts: those of ajv-formats in full, with times and days as RFC 3339 has them.
import type { Ajv } from 'ajv';
import formats, { type FormatsPlugin } from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';

const validatorOf = (format: unknown) => (format as { validate: (text: string) => boolean }).validate;
const isDate = validatorOf(fullFormats.date);
const isLooseTime = validatorOf(fullFormats.time);

const RFC_3339_TIME = /^\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;
const LEAP_SECOND = /:60(?=\D)/;

/** Adds the formats. A format with another name is not checked. */
export function addFormats(ajv: Ajv): void {
  (formats as unknown as FormatsPlugin)(ajv, { mode: 'full' });
  ajv.addFormat('time', isTime).addFormat('date-time', isDateTime);
}

/** ajv-formats also takes offsets without minutes, as ISO 8601 does. */
const isTime = (text: string): boolean => RFC_3339_TIME.test(text) && isLooseTime(text);

function isDateTime(text: string): boolean {
  const [date = '', time = '', ...others] = text.split(/t/i);
  return others.length === 0 && isDate(date) && isTime(time) && (!LEAP_SECOND.test(time) || isLeapSecond(text));
}

/** Leap seconds are the last of a month in UTC. */
function isLeapSecond(text: string): boolean {
  const next = new Date(Date.parse(text.toUpperCase().replace(LEAP_SECOND, ':59').replace(/\.\d+/, '')) + 1_000);
  return next.toISOString().endsWith('-01T00:00:00.000Z');
}
