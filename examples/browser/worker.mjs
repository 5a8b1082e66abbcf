// The worker of a holder's page: proves, explains and derives keys. The proof library is loaded with the first proof, by `loadSuite`.
import { deriveCak, explain, loadSuite, MaterialError, PlanError, UnmetError } from '../../dist/zk/holder.js';

const FUNCTIONS = {
  explain,
  deriveCak,
  prove: async (terms, secrets) => (await loadSuite()).prove(terms, secrets),
};

/** Errors of what was asked. After any other one the library is not loaded, or its memory cannot be trusted. */
const OF_THE_QUESTION = [UnmetError, MaterialError, PlanError];

addEventListener('message', async ({ data: { id, what, args } }) => {
  try {
    postMessage({ id, value: await FUNCTIONS[what](...args) });
  } catch (error) {
    const isFatal = !OF_THE_QUESTION.some((kind) => error instanceof kind);
    postMessage({ id, error: { name: error.name, message: error.message, isFatal } });
  }
});
