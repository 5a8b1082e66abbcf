// A holder's page: what it asks of the proof suite is done in a worker, which is started by the first question. Proofs take seconds, and the
// page stays responsive.
const waiting = new Map();
let worker;
let last = 0;

function start() {
  // Beside this file once both are bundled (tools/bundle-browser.mjs).
  const started = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  started.onmessage = ({ data: { id, value, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) return resolve(value);
    reject(Object.assign(new Error(error.message), { name: error.name }));
    if (error.isFatal) end(error.message);
  };
  started.onerror = () => end('the worker did not start');
  return started;
}

/** Ends the worker; the next question starts another one. */
function end(why) {
  worker?.terminate();
  worker = undefined;
  for (const { reject } of waiting.values()) reject(new Error(why));
  waiting.clear();
}

function ask(what, ...args) {
  worker ??= start();
  last += 1;
  worker.postMessage({ id: last, what, args });
  return new Promise((resolve, reject) => waiting.set(last, { resolve, reject }));
}

/** Which conditions of a request the claim meets. `now` is the challenge's, in ms. */
export const explain = (request, claim, now) => ask('explain', request, claim, now);

/** `{presentation, opening}` of a claim, two members of an answer. Rejects with UnmetError for a claim that does not meet the conditions. */
export const prove = (terms, secrets) => ask('prove', terms, secrets);

/** The holder's CAK for an issuer and a schema: `{privateKey, publicKey}`. */
export const deriveCak = (accountKey, purpose) => ask('deriveCak', accountKey, purpose);
