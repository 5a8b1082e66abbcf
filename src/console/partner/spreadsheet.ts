// How the spreadsheet of this computer reads CSV.

/** What separates cells: programs of countries with decimal commas expect semicolons. */
export const spreadsheetDelimiter = (): string => ((1.1).toLocaleString().includes(',') ? ';' : ',');
