// The verifier of a process: proofs are checked in its worker threads, in turns by partner, so one with many checks does not delay the others.
import { DomainError } from '../../base/errors.js';
import { enforce, type Rules } from '../../base/callers/rules.js';
import type { ProofCheck } from '../../keys/zk/protocol.js';
import type { ZkThreads } from '../../keys/zk/threads.js';

/** Checks that wait, of all partners and of one. */
const MAX_WAITING = 64;
const MAX_WAITING_OF_PARTNER = 32;
const RETRY_AFTER_SECONDS = 2;

/** Whether a proof is valid for its terms. */
export type Judge = (check: ProofCheck) => Promise<boolean>;

/** Whether proofs are checked here at all. */
export const SWITCH_RULES: Rules<{ isOn: boolean }> = [
  {
    rule: 'verification.on',
    allows: 'Verification is on.',
    mend: 'Have the operator switch it on (ZK_WORKERS), with the proof library installed.',
    refusal: ({ isOn }) => (isOn ? undefined : verificationOff()),
  },
];

/** Runs checks in turns. */
export class ProofVerifier {
  /** Partners in the order of their turns, each with its waiting checks. */
  readonly #lines = new Map<string, (() => void)[]>();
  #running = 0;
  #waiting = 0;

  constructor(private readonly threads: ZkThreads | undefined) {}

  /** @throws DomainError VERIFICATION_OFF where no proof is checked. */
  requireOn(): void {
    enforce(SWITCH_RULES, this);
  }

  /** Whether proofs are checked here. */
  get isOn(): boolean {
    return this.threads !== undefined;
  }

  /**
   * Runs the work of a partner in its turn, as many at once as there are workers.
   * @throws DomainError VERIFIER_BUSY when too many wait; VERIFICATION_OFF
   */
  async inTurn<T>(partnerId: string, work: (judge: Judge) => Promise<T>): Promise<T> {
    const { threads } = this;
    if (threads === undefined) throw verificationOff();
    if (this.#running < threads.max) this.#running += 1;
    else await this.#turn(partnerId);
    try {
      return await work((check) => judge(threads, check));
    } finally {
      this.#next();
    }
  }

  #turn(partnerId: string): Promise<void> {
    const line = this.#lines.get(partnerId) ?? [];
    if (this.#waiting >= MAX_WAITING || line.length >= MAX_WAITING_OF_PARTNER) throw verifierBusy();
    this.#waiting += 1;
    return new Promise((start) => {
      line.push(start);
      this.#lines.set(partnerId, line);
    });
  }

  /** The first partner's oldest check is next; the partner then goes to the end. */
  #next(): void {
    const [first] = this.#lines;
    if (first === undefined) {
      this.#running -= 1;
      return;
    }
    const [partnerId, line] = first;
    const start = line.shift();
    this.#lines.delete(partnerId);
    if (line.length > 0) this.#lines.set(partnerId, line);
    this.#waiting -= 1;
    start?.();
  }
}

async function judge(threads: ZkThreads, check: ProofCheck): Promise<boolean> {
  const reply = await threads.judge({ ask: 'check', ...check });
  if (reply === undefined) throw verificationOff();
  return reply !== 'broken' && reply.is === 'checked' && reply.isValid;
}

/** Too many checks wait; the same request may be sent again. */
export function verifierBusy(): DomainError {
  const message = `Too many proofs wait to be checked; try again in ${RETRY_AFTER_SECONDS} seconds.`;
  return new DomainError('VERIFIER_BUSY', message, { retryAfter: RETRY_AFTER_SECONDS });
}

const OFF_RETRY_SECONDS = 300;

/** Proofs are off, or their library is not installed. */
export function verificationOff(): DomainError {
  const message = 'Verification is switched off here, or the proof library is not installed.';
  return new DomainError('VERIFICATION_OFF', message, { retryAfter: OFF_RETRY_SECONDS });
}
