// An app in a terminal: logs in, makes an account and signs with it, by the library for apps.
// node examples/mobile.mjs <e-mail> [key file: partner.json]; GATEWAY is the gateway's PUBLIC_URL. The session is in app.json.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { importJWK, SignJWT } from 'jose';
import { CoreMobileService } from '../dist/sdk/mobile.js';
import { fileStorage } from '../dist/sdk/mobile-node.js';

const [email, keyFile = 'partner.json'] = process.argv.slice(2);
const { GATEWAY = 'http://localhost:4000' } = process.env;
process.on('uncaughtException', ({ message }) => {
  console.error(message);
  process.exit(1);
});
if (!email) throw new Error('Give an e-mail address: node examples/mobile.mjs ada@example.org [key file]');
const { partnerId, kid, ...jwk } = JSON.parse(readFileSync(keyFile, 'utf8'));
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const lines = terminal[Symbol.asyncIterator]();
async function ask(question) {
  process.stdout.write(`${question} `);
  const { value, done } = await lines.next();
  if (done) throw new Error('the input has ended');
  return value.trim();
}

/** What only the partner's server does: it has the key. */
const partnerToken = async () =>
  new SignJWT({ partnerId, scope: 'issue', email })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid })
    .setExpirationTime('5m')
    .sign(await importJWK(jwk, 'ES256'));

/** Screens are data; an app draws them. */
const SCREENS = {
  'recovery-code': async ({ code }) => {
    await ask(`Your recovery code: ${code}\nPress Enter once you have written it down.`);
    return { kept: true };
  },
  recover: async ({ fault }) => ({ code: await ask(`${fault ?? ''}Recovery code:`) }),
  async consent({ title, facts, action }) {
    for (const { name, value } of facts) console.log(`  ${name}: ${value}`);
    if ((await ask(`${title}. ${action}? (y/n)`)) !== 'y') throw new Error('declined');
    return { consented: true };
  },
};
const navigatorKey = { current: { present: (screen) => SCREENS[screen.kind](screen) } };

const core = new CoreMobileService({ baseUrl: GATEWAY, ports: { storage: fileStorage('app.json') } });
core.on((event) => console.log(`[${event.name}]`));
await core.initialize({ partnerId, env: 'sandbox', navigatorKey });
if (!(await core.rehydrate()).isLoggedIn)
  await core.login({ authToken: await partnerToken(), onOtpRequest: ({ email }) => ask(`Code mailed to ${email}:`) });
const { user } = await core.getUserInfo();
console.log(`${user.email} is logged in.`);
const signature = await core.signMessage('Hello from an app');
console.log(`${await core.getAbstractAccountAddress()} signed: ${signature.slice(0, 20)}…`);
await core.cleanup();
terminal.close();
