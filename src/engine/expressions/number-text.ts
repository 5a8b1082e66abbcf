// A double as text and text as a number, the way MongoDB's conversions write and read them.

/** C's `%.16g`, which MongoDB prints doubles with; infinities, NaN and -0 by name. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Infinity' : 'Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponentText = '0'] = value.toExponential(15).split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 16) {
    return strip(value.toFixed(Math.min(100, Math.max(0, 15 - exponent))));
  }
  const sign = exponent < 0 ? '-' : '+';
  return `${strip(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function strip(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

const REAL = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i;

/** Whether the whole text is a number as C's strtod reads it (but no hexadecimal). */
export function isRealText(text: string): boolean {
  return REAL.test(text);
}

/** The double a text spells; it must be a number by `isRealText`. */
export function realOf(text: string): number {
  const plain = text.toLowerCase().replace(/^[+-]/, '');
  if (plain === 'nan') return Number.NaN;
  const size = plain.startsWith('inf') ? Number.POSITIVE_INFINITY : Number(plain);
  return text.startsWith('-') ? -size : size;
}
