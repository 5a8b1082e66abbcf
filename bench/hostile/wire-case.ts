// One connection of a hostile or only unusual client: pipelined requests, an end, how the bytes are cut into packets, and where all stops.
import { Random } from './random.js';
import { type Answer, type End, endOf, goodRequest } from './wire-requests.js';

export interface WireCase {
  /** What is written, one after the other. */
  pieces: Buffer[];
  /** The pause between two pieces, milliseconds; 0: as soon as the system takes them. */
  pauseMs: number;
  /** Answers to the requests, in order. */
  answers: Answer[];
  end: End['outcome'] | undefined;
  /** How the client leaves after its last piece; undefined: it stays until everything has come. */
  leaves: { how: 'reset' | 'half-closed' | 'closed'; afterMs: number } | undefined;
}

const MAX_REQUESTS = 6;

/** The case of a seed. */
export function wireCase(seed: number): WireCase {
  const random = new Random(seed);
  const requests = Array.from({ length: random.below(MAX_REQUESTS + 1) }, (_, at) =>
    goodRequest(random, `q${seed}x${at}`),
  );
  const end = requests.length === 0 || random.chance(60) ? endOf(random, `q${seed}`) : undefined;
  const whole = Buffer.concat([...requests.map(({ bytes }) => bytes), ...(end ? [end.bytes] : [])]);
  const cut = random.chance(35);
  const sent = cut ? whole.subarray(0, random.below(whole.length)) : whole;
  return {
    pieces: piecesOf(random, sent),
    pauseMs: random.of([0, 0, 1, 3]),
    answers: requests.map(({ answer }) => answer),
    end: end?.outcome,
    leaves: cut
      ? { how: random.of(['reset', 'half-closed', 'closed']), afterMs: random.of([0, 0, 1, 2, 5]) }
      : undefined,
  };
}

/** In one, in some, or (the end at least) byte by byte. */
function piecesOf(random: Random, bytes: Buffer): Buffer[] {
  const count = random.of([1, 1, 2, 3, 8, 30]);
  const cuts = Array.from({ length: count - 1 }, () => random.below(bytes.length + 1)).sort((a, b) => a - b);
  return [...cuts, bytes.length]
    .map((to, index) => bytes.subarray(cuts[index - 1] ?? 0, to))
    .filter(({ length }) => length > 0);
}
