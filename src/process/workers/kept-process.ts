// A child process that is restarted when it ends, at a limited rate.
import type { ChildProcess } from 'node:child_process';
import type { FastifyBaseLogger } from 'fastify';
import { DELAYS, pauseAfter } from '../../base/concurrency/retry.js';

/** A process that was just started. */
export interface Spawned {
  child: ChildProcess;
  /** Resolves when the process serves. */
  ready: Promise<unknown>;
}

/** The job of a process. */
export interface Role {
  /** For the log. */
  name: string;
  /** @param first whether this is the first process of the role, not a replacement. */
  spawn(first: boolean): Spawned;
  /** Tells the process to shut down. */
  end(child: ChildProcess): void;
}

/** The process ended before it served for the first time; the reason is on its standard error. */
export class NeverServed extends Error {
  override readonly name = 'NeverServed';
}

/** A process that ran this long counts as successfully started. */
const HEALTHY_MS = 30_000;

/** The delay before a restart: doubled each time the process ran for less than 30 s, at most 10 s. Milliseconds. */
export class RestartDelays {
  #failures = 0;

  /** @param livedMs how long the ended process had run. */
  after(livedMs: number): number {
    this.#failures = livedMs >= HEALTHY_MS ? 1 : this.#failures + 1;
    return pauseAfter(DELAYS.restart, this.#failures);
  }
}

/** A child process that is restarted until `stop`. */
export class KeptProcess {
  readonly #delays = new RestartDelays();
  #child: ChildProcess | undefined;
  #startedAt = 0;
  #served = false;
  #stopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly role: Role,
    private readonly log: FastifyBaseLogger,
  ) {}

  /** Resolves when it serves. @throws NeverServed; it is then not restarted. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { child, ready } = this.#spawn(true);
      child.once('exit', () => {
        // If it is being stopped, `stop` waits for the end.
        if (!this.#stopping) reject(new NeverServed(`${this.role.name} ended before it served.`));
      });
      void ready.then(() => {
        this.#served = true;
        resolve();
      });
    });
  }

  /** Stops it; returns whether it shut down in order. */
  async stop(): Promise<boolean> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return true;
    const ended = new Promise<boolean>((resolve) => child.once('exit', (code) => resolve(code === 0)));
    this.role.end(child);
    return ended;
  }

  #spawn(first: boolean): Spawned {
    const spawned = this.role.spawn(first);
    this.#child = spawned.child;
    this.#startedAt = performance.now();
    spawned.child.once('exit', (code, signal) => this.#ended(spawned.child, signal ?? `code ${code}`));
    void spawned.ready.then(() => this.log.info({ process: spawned.child.pid }, `${this.role.name} serves`));
    return spawned;
  }

  #ended({ pid }: ChildProcess, how: string): void {
    if (this.#stopping || !this.#served) return;
    const delay = this.#delays.after(performance.now() - this.#startedAt);
    this.log.error({ process: pid }, `${this.role.name} ended with ${how}; a new one starts in ${delay} ms`);
    this.#timer = setTimeout(() => this.#spawn(false), delay);
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
