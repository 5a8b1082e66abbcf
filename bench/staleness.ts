// How long an old value is still served after a write, by any of two gateways that share a store, their caches warm.
import type { GatewayProcess } from './gateway-process.js';

const WRITES = 200;
const CREDENTIAL = 'credential-7';
const BODY = { category: 'Education', issuerId: 'issuer-7', schemaId: 'schema-7' };
const QUERY = `{ credential(credentialId: "${CREDENTIAL}") { name } }`;

/** The name as GraphQL and REST show it. */
async function namesOf(gateway: GatewayProcess): Promise<string[]> {
  const [graphql, rest] = await Promise.all([
    gateway.query(QUERY),
    gateway.get(`/v1/catalog/credentials/${CREDENTIAL}`),
  ]);
  const shown = graphql as { credential: { name: string } };
  const { data } = rest as { data: { name: string } };
  return [shown.credential.name, data.name];
}

/** Asks until all show the new name; milliseconds since `written`. @throws Error for a name that is neither old nor new. */
async function untilNew(gateway: GatewayProcess, before: string, after: string, written: number): Promise<number> {
  for (;;) {
    const names = await namesOf(gateway);
    const wrong = names.find((name) => name !== before && name !== after);
    if (wrong !== undefined) throw new Error(`a name was ${wrong}; it must be ${before} or ${after}`);
    if (names.every((name) => name === after)) return performance.now() - written;
  }
}

/** After each of many writes through the first gateway: milliseconds until neither serves the old value; their 99th percentile. */
export async function stalenessOf(writer: GatewayProcess, other: GatewayProcess): Promise<number> {
  const times: number[] = [];
  let before = 'Name 0';
  await writer.put(`credentials/${CREDENTIAL}`, { name: before, ...BODY });
  for (const gateway of [writer, other]) await untilNew(gateway, (await namesOf(gateway))[0] ?? '', before, 0);
  for (let write = 1; write <= WRITES; write += 1) {
    const after = `Name ${write}`;
    // Warm again, and nobody has gone back to what was before.
    await Promise.all([writer, other].map((gateway) => untilNew(gateway, before, before, 0)));
    await writer.put(`credentials/${CREDENTIAL}`, { name: after, ...BODY });
    const written = performance.now();
    times.push(
      Math.max(...(await Promise.all([writer, other].map((gateway) => untilNew(gateway, before, after, written))))),
    );
    before = after;
  }
  return times.sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
}
