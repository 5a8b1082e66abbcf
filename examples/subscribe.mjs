// Listens to a subscription, and goes on where it was after every cut: node examples/subscribe.mjs 'subscription ($after: ID) { … }'
// GATEWAY (default http://127.0.0.1:4000), PARTNER_TOKEN or SESSION_TOKEN (none: public), AFTER: the last event that was seen.
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

const { GATEWAY = 'http://127.0.0.1:4000', PARTNER_TOKEN, SESSION_TOKEN, AFTER } = process.env;
const query = process.argv[2] ?? 'subscription ($after: ID) { catalogChanged(after: $after) { id type } }';
const connectionParams = {
  ...(PARTNER_TOKEN ? { 'x-partner-auth': PARTNER_TOKEN } : {}),
  ...(SESSION_TOKEN ? { authorization: `Bearer ${SESSION_TOKEN}` } : {}),
};
const client = createClient({
  url: `${GATEWAY.replace('http', 'ws')}/graphql`,
  webSocketImpl: WebSocket,
  connectionParams,
  retryAttempts: 0,
});
let wasThere = false;
client.on('opened', () => {
  wasThere = true;
});
const final = new Set([4400, 4401, 4403, 4406, 4409, 4429]);
const end = (sentence) => {
  console.error(sentence);
  process.exit(1);
};

for (let after = AFTER; ; ) {
  try {
    for await (const result of client.iterate({ query, variables: { after } })) {
      console.log(JSON.stringify(result));
      after = Object.values(result.data ?? {})[0]?.id ?? after;
    }
    break;
  } catch (cut) {
    if (Array.isArray(cut)) end(cut.map(({ message }) => message).join('\n'));
    if (final.has(cut?.code)) end(`The gateway closed the connection: ${cut.reason || cut.code}`);
    if (!wasThere)
      end(`No gateway responds at ${GATEWAY}: start one with npm start, or set GATEWAY to the address of another.`);
    await delay(1_000);
  }
}
