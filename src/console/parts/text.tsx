// Texts of records, which may be long and in any direction.
import { useState } from 'preact/hooks';

const SHOWN = 200;

/** The beginning of a text, without half a character at its end. */
const cut = (text: string, limit: number): string => `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** A text in its own direction; a long one is cut, with a button that shows all of it. */
export function Text({ text, limit = SHOWN }: { text: string; limit?: number }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= limit) return <bdi>{text}</bdi>;
  return (
    <>
      <bdi>{isWhole ? text : cut(text, limit)}</bdi>{' '}
      <button type="button" class="plain" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? 'Less' : 'All of it'}
      </button>
    </>
  );
}

/** A name in a line of links, which cannot contain a button: a long one is cut. */
export function Name({ text }: { text: string }) {
  const isLong = text.length > SHOWN;
  return <bdi title={isLong ? text : undefined}>{isLong ? cut(text, SHOWN) : text}</bdi>;
}

const numbers = new Intl.NumberFormat('en');
export const number = (value: number): string => numbers.format(value);

/** `1 program`, `2 programs`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`;

const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** The day of a time. */
export function Day({ time }: { time: string }) {
  return <time dateTime={time}>{days.format(new Date(time))}</time>;
}

/** A time to the second. */
export function Moment({ time }: { time: string }) {
  return <time dateTime={time}>{time.slice(0, 19).replace('T', ' ')} UTC</time>;
}

const UNITS = [
  ['year', 31_536_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A duration in seconds, in words. */
export function duration(seconds: number): string {
  for (const [unit, length] of UNITS)
    if (seconds >= length && seconds % length === 0) return counted(seconds / length, unit);
  return counted(seconds, 'second');
}
