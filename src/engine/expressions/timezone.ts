// Time zones by Olson name or offset, and conversion between instants and local wall clocks.
import { typeName } from '../bson/types.js';
import { fail } from '../errors.js';
import { nullish } from './operator.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A zone: how far its wall clock is ahead of UTC at an instant, in milliseconds. */
export interface Zone {
  utc: boolean;
  offsetAt(instant: number): number;
}

/** UTC. */
export const UTC: Zone = { utc: true, offsetAt: () => 0 };

const OFFSET = /^([+-])(\d{2})(?::?(\d{2}))?$/;

function fixed(match: RegExpExecArray): Zone {
  const size = (Number(match[2]) * 60 + Number(match[3] ?? 0)) * 60_000;
  const offset = match[1] === '-' ? -size : size;
  return offset === 0 ? UTC : { utc: false, offsetAt: () => offset };
}

function named(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  return { utc: false, offsetAt: (instant) => offsetFrom(format, instant) };
}

function offsetFrom(format: Intl.DateTimeFormat, instant: number): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(instant)) parts[type] = value;
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
  const date = new Date(0);
  date.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
  date.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
  return date.getTime() - Math.floor(instant / 1000) * 1000;
}

const zones = new Map<string, Zone>();

/** The zone of a `timezone` argument; UTC when the call has none. Errors: 40517 for another type, 40485 for an unknown name. */
export function zoneOf(timezone: unknown): Zone {
  if (timezone === undefined) return UTC;
  if (typeof timezone !== 'string')
    return fail(40517, `timezone must evaluate to a string, found ${typeName(timezone)}`);
  const cached = zones.get(timezone);
  if (cached) return cached;
  const offset = OFFSET.exec(timezone);
  const plain = timezone === 'UTC' || timezone === 'GMT' || timezone === 'Z';
  const zone = plain ? UTC : offset ? fixed(offset) : timezone === '' ? undefined : named(timezone);
  if (!zone) return fail(40485, `unrecognized time zone identifier: "${timezone}"`);
  zones.set(timezone, zone);
  return zone;
}

/** Whether the `timezone` argument is present and null (then results are null). */
export function isNullZone(values: Record<string, unknown>): boolean {
  return 'timezone' in values && nullish(values.timezone);
}

/** An instant as wall clock: a Date whose UTC parts are the local ones. */
export function toLocal(instant: number, zone: Zone): Date {
  return new Date(instant + zone.offsetAt(instant));
}

/** The instant of a wall clock: the first, if daylight saving repeats that time. A time that daylight saving skips moves forward by the gap. */
export function toInstant(local: number, zone: Zone): number {
  const before = zone.offsetAt(local - DAY);
  const after = zone.offsetAt(local + DAY);
  if (before === after || zone.offsetAt(local - before) === before) return local - before;
  return zone.offsetAt(local - after) === after ? local - after : local - before;
}
