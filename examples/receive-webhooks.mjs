// Receives webhooks as a partner's back end does, with the package standardwebhooks: node examples/receive-webhooks.mjs [port, default 4801]
// PARTNER_TOKEN: it registers its address first, or gets a new secret for it. Without a token, WEBHOOK_SECRET is the secret of its address.
// GATEWAY: default http://127.0.0.1:4000.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const { GATEWAY = 'http://127.0.0.1:4000', PARTNER_TOKEN, WEBHOOK_SECRET } = process.env;
const [port = '4801'] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}/`;

function end(sentence) {
  console.error(sentence);
  process.exit(1);
}

if (!PARTNER_TOKEN && !WEBHOOK_SECRET)
  end('Set PARTNER_TOKEN, as npm run --silent cli -- partner token prints it, or WEBHOOK_SECRET.');

async function call(method, path, body) {
  const headers = { 'x-partner-auth': PARTNER_TOKEN, ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(GATEWAY + path, { method, headers, body: body && JSON.stringify(body) }).catch(() =>
    end(`No gateway responds at ${GATEWAY}: start one with npm start, or set GATEWAY to the address of another.`),
  );
  const json = await answer.json();
  if (!answer.ok) end(`The gateway refused ${method} ${path}: ${json.message}`);
  return json;
}

/** A secret is shown once, so an address that is registered already gets a new one. */
async function newSecret() {
  const { items } = await call('GET', '/v1/webhooks');
  const own = items.find((webhook) => webhook.url === url);
  const { secret } = own
    ? await call('POST', `/v1/webhooks/${own.webhookId}/rotate`)
    : await call('POST', '/v1/webhooks', { url, types: ['submitted', 'stored', 'revoked'] });
  return secret;
}

async function verifier() {
  const secret = WEBHOOK_SECRET || (await newSecret());
  try {
    return new Webhook(secret);
  } catch {
    return end('WEBHOOK_SECRET must be the secret of a webhook: "whsec_" and base64.');
  }
}

/** A delivery may arrive again, under the same id. */
const seen = new Set();
let webhook;

const server = createServer(async (request, response) => {
  const id = request.headers['webhook-id'];
  try {
    const { type, data } = (await webhook).verify(await text(request), request.headers);
    console.log(`${id} ${seen.has(id) ? 'again' : 'verified'}: ${type} ${data.coreClaimHash ?? ''}`);
    seen.add(id);
    response.writeHead(204).end();
  } catch (error) {
    console.log(`${id} refused: ${error.message}`);
    response.writeHead(401).end();
  }
});
await new Promise((listening, failed) =>
  server.once('error', failed).listen({ port, host: '127.0.0.1' }, listening),
).catch(() => end(`Port ${port} cannot be used: give another one, node examples/receive-webhooks.mjs 4802`));
// Only now: a receiver that cannot start must not replace the secret of one that runs.
webhook = verifier();
await webhook;
console.log(`listening at ${url}`);
