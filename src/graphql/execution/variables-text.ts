// Variables as text, for cache keys.

/** A text that is equal for equal variables only. JSON.stringify alone writes null for numbers that are too large for JavaScript. */
export function variablesText(variables: unknown): string {
  const text = JSON.stringify(variables) ?? '';
  if (!text.includes('null')) return text;
  let isWhole = true;
  const marked = JSON.stringify(variables, (_name, value: unknown) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    isWhole = false;
    return { infinite: String(value) };
  });
  return isWhole ? text : `infinite ${marked}`;
}
