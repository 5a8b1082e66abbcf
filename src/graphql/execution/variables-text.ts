// Variables as text, for whoever remembers what was made of them.

/** The same text for the same variables, and for no others: JSON has numbers too large for JavaScript, which JSON.stringify would write as null. */
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
