// The output of commands: lines for people, or one object for programs with --json.

/** The output of a command; the last line is the result. */
export interface Report {
  lines: string[];
  json: object;
  /** Whether everything is sound; default true. */
  sound?: boolean;
}

/** Options of every command. */
export interface OutputOptions {
  /** `--json`: one object instead of lines. */
  json?: boolean;
}

/** Prints a report; exit code 1 when it is not sound. */
export function print({ lines, json, sound = true }: Report, options: OutputOptions): void {
  if (options.json) console.log(JSON.stringify(json));
  else for (const line of lines) console.log(line);
  if (!sound) process.exitCode = 1;
}

/** The report of a command with only lines. */
export function linesReport({ lines, sound }: { lines: string[]; sound: boolean }): Report {
  return { lines, sound, json: { sound, lines } };
}
