// Results as CSV.

/** A cell for spreadsheets. A cell that they would read as a formula gets a quote in front. */
function cellOf(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}

/** Results as CSV. */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  `${rows.map((row) => row.map(cellOf).join(',')).join('\r\n')}\r\n`;
