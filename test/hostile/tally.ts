// How often each operation got which status: a test whose cases are all refused proves little. FUZZ_TALLY=1 prints the
// counts.

/** Counts the responses to operations. */
export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();

  count(operation: string, answer: string): void {
    const answers = this.#counts.get(operation) ?? new Map<string, number>();
    this.#counts.set(operation, answers.set(answer, (answers.get(answer) ?? 0) + 1));
  }

  /** How many responses match the pattern. */
  number(answers: RegExp): number {
    const counts = [...this.#counts.values()].flatMap((operation) => [...operation]);
    return counts.reduce((sum, [answer, count]) => (answers.test(answer) ? sum + count : sum), 0);
  }

  /**
   * Prints a line for each operation if FUZZ_TALLY is set. @param all operations, including those without a response
   */
  print(all: readonly string[] = []): void {
    if (process.env.FUZZ_TALLY !== '1') return;
    for (const operation of all) this.#counts.set(operation, this.#counts.get(operation) ?? new Map([['never', 0]]));
    const lines = [...this.#counts].sort().map(([operation, answers]) => {
      const counts = [...answers].sort().map(([answer, count]) => `${answer}×${count}`);
      return `${operation.padEnd(60)} ${counts.join('  ')}`;
    });
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}
