// Checks proofs in the worker threads of a process; partners are served in rotation (keys/zk/threads.ts).
import { DomainError } from '../../base/errors.js';
import { enforce, type Rules } from '../../base/callers/rules.js';
import type { ProofCheck } from '../../keys/zk/protocol.js';
import type { AskJudge, ZkThreads } from '../../keys/zk/threads.js';

/** Whether a proof is valid for its terms. */
export type Judge = (check: ProofCheck) => Promise<boolean>;

/** The rule that proofs are checked at all in this installation. */
export const SWITCH_RULES: Rules<{ isOn: boolean }> = [
  {
    rule: 'verification.on',
    allows: 'Verification is on.',
    mend: 'Have the operator switch it on (ZK_WORKERS), with the proof library installed.',
    refusal: ({ isOn }) => (isOn ? undefined : verificationOff()),
  },
];

/** Checks proofs in the worker threads of the process; partners are served in rotation. */
export class ProofVerifier {
  constructor(private readonly threads: ZkThreads | undefined) {}

  /** @throws DomainError VERIFICATION_OFF if no proofs are checked here. */
  requireOn(): void {
    enforce(SWITCH_RULES, this);
  }

  /** Whether proofs are checked here. */
  get isOn(): boolean {
    return this.threads !== undefined;
  }

  /**
   * Runs the work of a partner when it is the partner's turn, with as many at once as there are workers.
   * @throws DomainError VERIFIER_BUSY when too many wait; VERIFICATION_OFF
   */
  async inTurn<T>(partnerId: string, work: (judge: Judge) => Promise<T>): Promise<T> {
    if (this.threads === undefined) throw verificationOff();
    return this.threads.inTurn(partnerId, (ask) => work((check) => judge(ask, check)));
  }
}

async function judge(ask: AskJudge, check: ProofCheck): Promise<boolean> {
  const reply = await ask({ ask: 'check', ...check });
  if (reply === undefined) throw verificationOff();
  return reply !== 'broken' && reply.is === 'checked' && reply.isValid;
}

const OFF_RETRY_SECONDS = 300;

/** The error if proofs are off, or their library is not installed. */
export function verificationOff(): DomainError {
  const message = 'Verification is switched off here, or the proof library is not installed.';
  return new DomainError('VERIFICATION_OFF', message, { retryAfter: OFF_RETRY_SECONDS });
}
