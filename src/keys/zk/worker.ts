// The proof worker: signs with BBS keys and checks proofs, outside of the gateway's event loop. Plaintext exists only in this worker's memory.
import { parentPort } from 'node:worker_threads';
import { loadSuite, type Suite } from '../../zk/index.js';
import type { ProofCheck, Question, Reply } from './protocol.js';

const reply = (message: Reply): void => parentPort?.postMessage(message);

function answer(suite: Suite, question: Question): Reply {
  if (question.ask === 'key') return { is: 'key', ...suite.newKey() };
  if (question.ask === 'sign') return sign(suite, question);
  if (question.ask === 'check-keys')
    return { is: 'checked-keys', isKey: question.publicKeys.map((bytes) => suite.isPublicKey(bytes)) };
  if (question.ask === 'check') return { is: 'checked', isValid: isValid(suite, question) };
  return { is: 'accumulators', accumulators: suite.accumulators(question.conditions) };
}

/** Checks the opening first, because that is cheap. */
function isValid(suite: Suite, { terms, publicKey, presentation, opened }: ProofCheck): boolean {
  if (opened && !suite.opens(opened.facts, presentation.commitment, opened.opening)) return false;
  return suite.verify(terms, publicKey, presentation);
}

function sign(suite: Suite, { claim, points, secretKey }: Extract<Question, { ask: 'sign' }>): Reply {
  try {
    return { is: 'signed', signature: suite.sign(claim, points, secretKey) };
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return { is: 'refused' };
    throw error;
  } finally {
    secretKey.fill(0);
  }
}

/** Undefined if the library is not installed. */
async function installedSuite(): Promise<Suite | undefined> {
  try {
    return await loadSuite();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

const suite = await installedSuite();
if (suite) parentPort?.on('message', (question: Question) => reply(answer(suite, question)));
reply({ is: 'ready', isOff: suite === undefined });
