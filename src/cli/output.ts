// The output of commands: lines for people, or one object for programs with --json.
import { Console } from 'node:console';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { type Config, loadConfig } from '../base/config/config.js';
import { fileFault } from './file-fault.js';

/** The output of a command; the last line is the result. */
export interface Report {
  lines: string[];
  json: object;
  /** False if faults were found (exit code 1); default true. */
  sound?: boolean;
}

/** Options of every command. */
export interface OutputOptions {
  /** `--json`: one object instead of lines. */
  json?: boolean;
}

type Stream = Writable & { isTTY?: boolean };

/** A command's environment, streams and exit code: those of the process, or of the caller that runs it as a function. */
export class Terminal {
  #exitCode = 0;
  #isUnwritten = false;
  readonly #console: Console;
  #isRead = true;

  constructor(
    readonly out: Stream,
    readonly err: Stream,
    /** The environment, if not the process's own. */
    readonly env?: Readonly<Record<string, string>>,
    /** Where a person answers questions, if it is a terminal. */
    private readonly input?: Readable & { isTTY?: boolean },
  ) {
    this.#console = new Console(out, err);
    for (const stream of [out, err]) stream.on('error', (error) => this.#failed(error));
  }

  /** Prints a question to standard error, and reads a line. Undefined if nobody is there to answer; resolves to undefined if the input ends. */
  get ask(): ((question: string) => Promise<string | undefined>) | undefined {
    const { input, err } = this;
    if (!input?.isTTY || !err.isTTY) return undefined;
    return (question) =>
      new Promise((resolve) => {
        const lines = createInterface({ input, terminal: false });
        lines.once('line', (line) => {
          resolve(line);
          lines.close();
        });
        lines.once('close', () => resolve(undefined));
        err.write(question);
      });
  }

  /** The exit code, after the end of the command: 1 if its output could not be written. */
  get exitCode(): number {
    return this.#isUnwritten ? 1 : this.#exitCode;
  }

  set exitCode(code: number) {
    this.#exitCode = code;
  }

  /** The configuration of its environment. @throws ConfigError. */
  config(): Config {
    return loadConfig(this.env);
  }

  /** Prints a report; exit code 1 if it is not sound. */
  print({ lines, json, sound = true }: Report, options: OutputOptions): void {
    if (options.json) this.#console.log(JSON.stringify(json));
    else for (const line of lines) this.#console.log(line);
    if (!sound) this.exitCode = 1;
  }

  /** Writes text, and waits while the stream's buffer is full. @returns false if the reader has closed the stream (`… | head`). */
  async write(text: string): Promise<boolean> {
    if (!this.out.write(text)) await once(this.out, 'drain').catch(() => {});
    return this.#isRead;
  }

  /** Prints a sentence to standard error. */
  warn(sentence: string): void {
    this.#console.error(sentence);
  }

  /** Prints the reason of a failed command; exit code 1. */
  fail(sentence: string, options: OutputOptions): void {
    if (options.json) this.#console.log(JSON.stringify({ error: sentence }));
    this.#console.error(sentence);
    this.exitCode = 1;
  }

  /** Reports once that the output cannot be written; the command continues. */
  #failed(error: NodeJS.ErrnoException): void {
    this.#isRead = false;
    if (error.code === 'EPIPE' || this.#isUnwritten) return;
    this.#isUnwritten = true;
    this.warn(`The output cannot be written: ${fileFault(error)}.`);
  }
}

/** Joins commander's message to one line: its suggestion is on a second line, and the last line of the output must be the result. */
export const sentenceOf = (fault: string): string => fault.trimEnd().replaceAll('\n', ' ');

/** The report of a command with only lines. */
export function linesReport({ lines, sound }: { lines: string[]; sound: boolean }): Report {
  return { lines, sound, json: { sound, lines } };
}

/** A count with its noun: `1 key`, `2 keys`. @param more the plural, if it does not end with s. */
export const countOf = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;
