// What commands print: lines for people, or with --json one object for programs.

/** What a command has to say; the last line says how it went. */
export interface Report {
  lines: string[];
  json: object;
  /** Whether all is well; default true. */
  sound?: boolean;
}

/** Prints a report; exit code 1 when all is not well. */
export function print({ lines, json, sound = true }: Report, options: { json?: boolean }): void {
  if (options.json) console.log(JSON.stringify(json));
  else for (const line of lines) console.log(line);
  if (!sound) process.exitCode = 1;
}

/** The report of a command that has lines only. */
export function linesReport({ lines, sound }: { lines: string[]; sound: boolean }): Report {
  return { lines, sound, json: { sound, lines } };
}
