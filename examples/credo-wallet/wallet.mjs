// A wallet in a terminal: npm start [-- <root.pem or its address> …]. It reads a command a line, and prints an answer a line, as JSON:
//   openid-credential-offer://… [code]   takes an offer; by-page instead of a code: the answer is the address to open in a browser
//   org.example.credo-wallet:/callback?… goes on with the address to which the browser was sent
//   later                                asks again for credentials that were not ready
//   refresh                              gets new copies
//   list                                 the credentials
//   openid4vp://…                        answers a verifier's request
// PROVIDER: a file with `{key, x5c, issuer}`, by which the wallet and its keys are attested.
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Holder } from './holder.mjs';

/** The text of a file or an address. */
async function read(place) {
  try {
    if (!/^https?:/.test(place)) return await readFile(place, 'utf8');
    const answer = await fetch(place);
    if (answer.ok) return await answer.text();
    throw new Error(`HTTP ${answer.status}`);
  } catch ({ message, cause }) {
    console.error(`${place} cannot be read: ${cause?.message ?? message}`);
    return process.exit(1);
  }
}

const { PROVIDER } = process.env;
const roots = await Promise.all(process.argv.slice(2).map(read));
const holder = await Holder.start({ roots, provider: PROVIDER && JSON.parse(await read(PROVIDER)) });

const COMMANDS = [
  [/^(openid-credential-offer|haip-vci):/, (uri, code) => holder.take(uri, code)],
  [/^(openid4vp|haip-vp):/, (uri) => holder.present(uri)],
  [/^org\.example\.credo-wallet:/, (uri) => holder.redirected(uri)],
  [/^later$/, () => holder.later()],
  [/^refresh$/, () => holder.refresh()],
  [/^list$/, () => holder.credentials()],
];

if (process.stdin.isTTY)
  console.error('Paste an offer with its code, or a request, in one line. Other commands: later, refresh, list.');
for await (const line of createInterface({ input: process.stdin })) {
  const words = line.trim().split(/\s+/);
  const [, run] = COMMANDS.find(([form]) => form.test(words[0])) ?? [];
  const answer = await (run ? run(...words) : Promise.reject(new Error(`No command begins with ${words[0]}.`))).catch(
    (error) => ({ error: error.message, detail: error.response ?? error.errorResponse ?? error.cause?.message }),
  );
  console.log(JSON.stringify(answer));
}
await holder.close();
