// Plays many cases against a server, some at the same time.
import { wireCase } from './wire-case.js';
import { playCase } from './wire-client.js';

/** Connections at the same time. */
const CONCURRENT = 12;

/** A case that went wrong, and the seed that makes it again. */
export interface Failure {
  seed: number;
  problem: string;
}

/** Plays `count` cases, of the seeds from `first` on; ends with the first failure. */
export async function playCases(port: number, first: number, count: number): Promise<Failure | undefined> {
  let next = first;
  let failure: Failure | undefined;
  const play = async (): Promise<void> => {
    while (next < first + count && failure === undefined) {
      const seed = next++;
      const problem = await playCase(port, wireCase(seed));
      if (problem !== undefined) failure ??= { seed, problem };
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, play));
  return failure;
}
