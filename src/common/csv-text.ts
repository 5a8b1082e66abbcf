// Tables as CSV (RFC 4180) that spreadsheets may open.

/** A cell with a quote in front if a spreadsheet would read it as a formula. */
export const csvCell = (cell: string): string => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);

/** One line with its line end. Spreadsheets read none of its cells as a formula. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  const safe = cells.map(csvCell);
  const quoted = safe.map((cell) => (/[",;\t|\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(delimiter)}\r\n`;
}
