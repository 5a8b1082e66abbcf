// `examples/credo-wallet` as its reader runs it: a program that reads a command a line and prints an answer a line.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
type WalletAnswer = any;

export class CredoWallet {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  #errors = '';

  /** @param roots certificates that the wallet trusts: files or addresses */
  constructor(roots: readonly string[], env: Record<string, string> = {}) {
    this.#child = spawn(process.execPath, ['examples/credo-wallet/wallet.mjs', ...roots], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#errors += chunk;
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** @throws Error with what the wallet prints if it ends instead */
  async run(command: string): Promise<WalletAnswer> {
    this.#child.stdin.write(`${command}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`The wallet has ended: ${this.#errors}`);
    return JSON.parse(value);
  }

  close(): void {
    this.#child.kill();
  }
}
