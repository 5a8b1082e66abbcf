// Reads what a server wrote to one connection, and finds where it is not what the requests must get.
import type { Answer } from './wire-requests.js';

const INTERIM = /^HTTP\/1\.1 100 /;
const STATUS = /^HTTP\/1\.1 (\d{3}) /;

/** One answer, and what follows it; undefined while it is not whole. */
interface Read {
  status: number;
  body: string;
  rest: Buffer;
}

/** What has come of the answers so far. */
export interface Progress {
  /** How many of the expected answers are there. */
  count: number;
  /** What came after them. */
  rest: Buffer;
  /** The first that is wrong. */
  problem: string | undefined;
}

/** Compares what came with what must come, as far as it has. */
export function readAnswers(bytes: Buffer, expected: readonly Answer[]): Progress {
  let rest = bytes;
  for (const [count, answer] of expected.entries()) {
    const read = readOne(rest, answer.bodyless === true);
    if (read === undefined) return { count, rest, problem: undefined };
    const problem = differenceOf(read, answer);
    if (problem !== undefined) return { count, rest, problem: `answer ${count + 1}: ${problem}` };
    rest = read.rest;
  }
  return { count: expected.length, rest, problem: undefined };
}

function differenceOf({ status, body }: Read, answer: Answer): string | undefined {
  if (status !== answer.status) return `the status is ${status}, not ${answer.status}: ${body.slice(0, 300)}`;
  if (answer.holds === undefined || body.includes(answer.holds)) return undefined;
  return `${answer.holds} is not in ${body.slice(0, 300)}`;
}

function readOne(bytes: Buffer, bodyless: boolean): Read | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.subarray(0, end).toString('latin1');
  const rest = bytes.subarray(end + 4);
  if (INTERIM.test(head)) return readOne(rest, bodyless);
  const status = Number(STATUS.exec(head)?.[1]);
  if (bodyless || status === 204) return { status, body: '', rest };
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  if (Number.isNaN(length)) return { status: status || 0, body: `no length: ${head}`, rest };
  if (rest.length < length) return undefined;
  return { status, body: rest.subarray(0, length).toString(), rest: rest.subarray(length) };
}
