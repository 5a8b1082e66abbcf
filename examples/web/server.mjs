// The back end of this example: serves the page, and signs partner tokens for it with the key that `partner create` wrote.
// node examples/web/server.mjs [key file: partner.json] [port: 8080]; GATEWAY is the gateway's PUBLIC_URL.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { importJWK, SignJWT } from 'jose';

const [keyFile = 'partner.json', port = '8080'] = process.argv.slice(2);
const { GATEWAY = 'http://localhost:4000' } = process.env;
process.on('uncaughtException', ({ message }) => {
  console.error(`The page cannot be served with the key file ${keyFile} at port ${port}: ${message}`);
  process.exit(1);
});
const { partnerId, kid, ...jwk } = JSON.parse(readFileSync(keyFile, 'utf8'));
const key = await importJWK(jwk, 'ES256');
const page = readFileSync(new URL('index.html', import.meta.url));

/** A partner token lives for minutes and has one scope. A real back end gives it to its own logged-in users alone. */
const sign = (scope) =>
  new SignJWT({ partnerId, scope })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid })
    .setExpirationTime('5m')
    .sign(key);

const ROUTES = {
  'GET /': async () => ['text/html; charset=utf-8', page],
  'GET /config': async () => ['application/json', JSON.stringify({ gateway: GATEWAY, partnerId })],
  'POST /token/issue': async () => ['text/plain', await sign('issue')],
  'POST /token/verify': async () => ['text/plain', await sign('verify')],
};

createServer(async (request, response) => {
  const route = ROUTES[`${request.method} ${request.url}`];
  if (route === undefined) return response.writeHead(404).end();
  const [type, body] = await route();
  response.writeHead(200, { 'content-type': type }).end(body);
}).listen(Number(port), 'localhost', () => console.log(`http://localhost:${port}/`));
