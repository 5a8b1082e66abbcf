// Plays a case against a server and judges what comes back.
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readAnswers } from './wire-answers.js';
import type { WireCase } from './wire-case.js';

/** A server that says nothing for so long has forgotten a request. */
const SILENCE_MS = 60_000;

/** Plays a case; answers what was wrong with what came back, if anything. */
export async function playCase(port: number, wireCase: WireCase): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: wireCase.leaves?.how === 'half-closed' });
  const received = new Received(socket, wireCase);
  await write(socket, wireCase);
  if (wireCase.leaves) await leave(socket, wireCase.leaves, received);
  else await received.settled;
  socket.resetAndDestroy();
  return received.verdict();
}

async function write(socket: Socket, { pieces, pauseMs }: WireCase): Promise<void> {
  for (const piece of pieces) {
    if (!socket.writable) return;
    await new Promise((resolve) => socket.write(piece, resolve));
    if (pauseMs > 0 && pieces.length > 1) await delay(pauseMs);
  }
}

async function leave(
  socket: Socket,
  { how, afterMs }: NonNullable<WireCase['leaves']>,
  received: Received,
): Promise<void> {
  if (afterMs > 0) await delay(afterMs);
  if (how === 'reset') socket.resetAndDestroy();
  else if (how === 'closed') socket.destroy();
  else {
    socket.end();
    await received.closed;
  }
}

class Received {
  #bytes = Buffer.alloc(0);
  #timedOut = false;
  readonly closed: Promise<void>;
  /** Resolves when all has come that must, or nothing more can. */
  readonly settled: Promise<void>;

  constructor(
    socket: Socket,
    private readonly wireCase: WireCase,
  ) {
    socket.setNoDelay();
    // A server may end a connection that it is being written to.
    socket.on('error', () => {});
    socket.setTimeout(SILENCE_MS, () => {
      this.#timedOut = true;
      socket.destroy();
    });
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    const complete = new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        this.#bytes = Buffer.concat([this.#bytes, chunk]);
        if (this.#complete) resolve();
      });
    });
    this.settled = Promise.race([complete, this.closed]);
  }

  /** What is wrong; a client that left early may have missed answers, but none may be wrong. */
  verdict(): string | undefined {
    const { answers, leaves } = this.wireCase;
    if (this.#timedOut) return `nothing came any more after ${this.#text}`;
    const { count, problem } = readAnswers(this.#bytes, answers);
    if (leaves) return this.#hasRefusal(count) ? undefined : problem;
    if (problem !== undefined) return problem;
    if (count < answers.length) return `${count} of ${answers.length} answers came: ${this.#text}`;
    return this.#endProblem();
  }

  /** A cut request may be refused as what it is now. */
  #hasRefusal(count: number): boolean {
    const { rest } = readAnswers(this.#bytes, this.wireCase.answers.slice(0, count));
    return /^(HTTP\/1\.1 100 Continue\r\n\r\n)*HTTP\/1\.1 400 /.test(rest.toString('latin1'));
  }

  get #text(): string {
    return this.#bytes.toString('latin1').slice(-600);
  }

  get #complete(): boolean {
    const { answers, end } = this.wireCase;
    const { count, rest, problem } = readAnswers(this.#bytes, answers);
    if (problem !== undefined) return true;
    // What ends with the end of the connection is complete then.
    if (count < answers.length || end?.kind === 'closed' || end?.kind === 'answered') return false;
    return end === undefined || isAsItMust(end.kind, rest);
  }

  #endProblem(): string | undefined {
    const { answers, end } = this.wireCase;
    const { rest } = readAnswers(this.#bytes, answers);
    if (end === undefined) return rest.length === 0 ? undefined : `too much came: ${this.#text}`;
    if (end.kind !== 'answered') return isAsItMust(end.kind, rest) ? undefined : `not ${end.kind}: ${this.#text}`;
    return rest.toString('latin1').startsWith(`HTTP/1.1 ${end.answer.status} `)
      ? undefined
      : `not answered with ${end.answer.status}: ${this.#text}`;
  }
}

function isAsItMust(kind: 'closed' | 'acknowledged' | 'stream', rest: Buffer): boolean {
  const text = rest.toString('latin1');
  if (kind === 'closed') return text === '' || /^HTTP\/1\.1 4\d\d /.test(text);
  if (kind === 'stream') return /^HTTP\/1\.1 200 [\s\S]*text\/event-stream[\s\S]*\r\n\r\n[\s\S]*:\n\n/.test(text);
  return /^HTTP\/1\.1 101 [\s\S]*\r\n\r\n[\s\S]*"connection_ack"/.test(text);
}
