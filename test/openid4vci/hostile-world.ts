// Issuers of their own for each test, behind servers that a test makes hostile.
import type { ForeignIssuer } from '../openid4vp/foreign-issuer.js';
import { startGateway } from '../support/gateway.js';
import { type OddServer, oddServer } from '../support/odd-server.js';
import { Authorizing, PUBLIC } from './authorizing.js';
import { type Key, newKey } from './wallet.js';
import { VCT, withoutOfferWorld } from './without-offer-world.js';

/** The gateway, and what hostile issuers need. */
export async function hostileWorld() {
  const time = { ahead: 0 };
  const clock = (): number => Date.now() + time.ahead;
  const gateway = await startGateway({ env: { PUBLIC_URL: PUBLIC }, clock });
  const world = await withoutOfferWorld(gateway, () => gateway.url);
  const servers: OddServer[] = [];
  let number = 0;
  const rows = (name: string) => gateway.app.connection.collection(name);
  const calm = async (): Promise<void> => {
    world.backEnd.asked.length = 0;
    await rows('rateLimits').deleteMany({ expiresAt: { $gt: new Date(0) } });
  };
  const put = async (path: string, body: object) => {
    const answer = await gateway.admin('PUT', `/v1/admin/${path}`, { body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  /** Lets the partner issue for one more issuer. */
  const allow = async (issuerDid: string): Promise<void> => {
    const { partnerId } = world.partner;
    const { body: partner } = await gateway.admin('GET', `/v1/admin/partners/${partnerId}`);
    const { name, jwks, scopes, issuerDids, issueOnBehalf, requireTyp, allowedOrigins } = partner;
    const rights = { name, jwks, scopes, issueOnBehalf, requireTyp, allowedOrigins };
    await put(`partners/${partnerId}`, { ...rights, issuerDids: [...issuerDids, issuerDid] });
  };
  return {
    ...{ gateway, world, time, clock, rows, calm },
    /** Starts a server that the world closes. */
    async behind(listener: Parameters<typeof oddServer>[0]): Promise<OddServer> {
      const server = await oddServer(listener);
      servers.push(server);
      return server;
    },
    /** Registers an issuer with a credential of the same id; a wallet there with a token and a key. */
    async walletAt(record: object, schemaId = 'identity') {
      number += 1;
      const id = `hostile-${number}`;
      const { issuerDid } = await put(`issuers/${id}`, { name: id, issuerFrom: 'test', ...record });
      const vct = 'managed' in record ? {} : { vct: VCT };
      await put(`credentials/${id}`, { name: id, category: 'Test', issuerId: id, schemaId, ...vct });
      await allow(issuerDid);
      const at = new Authorizing(gateway.url, `${PUBLIC}/oid4vci/${id}`);
      await calm();
      const { body: token } = await world.token(at, id, `${id}@example.org`);
      const key = await newKey();
      return { id, issuerDid, key, ask: () => world.ask(at, token.access_token, id, { keys: [key] }) };
    },
    /** An issuer that signs for itself. */
    own: (credentialUrl: string, trust: object = { anchors: [world.foreign.anchor] }) => {
      const issuerDid = `did:web:hostile-${number + 1}.example`;
      return { issuerDid, credentialUrl, ...trust };
    },
    issuancesOf: (credentialId: string) => rows('issuances').countDocuments({ credentialId }),
    async close(): Promise<void> {
      await Promise.all([world.close(), ...servers.map((server) => server.close())]);
      await gateway.close();
    },
  };
}

/** The answer with a credential for a key. */
export const given = async (key: Key, by: ForeignIssuer, payload: object = {}, header: object = {}) => {
  const { credential } = await by.issue({ payload: { cnf: { jwk: key.jwk }, ...payload }, header });
  return { credentials: [credential] };
};
