// A gateway with two issuers that answer themselves: `club`, whose keys the gateway holds, and `office`, which signs for itself.
import { type ForeignIssuer, type Issued, startForeignIssuer } from '../openid4vp/foreign-issuer.js';
import type { TestGateway } from '../support/gateway.js';
import { SCHEMA } from '../support/membership.js';
import { registerPartner, type TestPartner } from '../support/partner.js';
import { type AnsweringIssuer, startAnsweringIssuer } from './answering-issuer.js';
import { Authorizing, codeFor, newPkce, PUBLIC } from './authorizing.js';
import { type Answer, type Key, newKey } from './wallet.js';

export const VCT = 'urn:eudi:pid:1';
export const OFFICE = 'did:web:office.example';
export const API_KEY = 'secret-of-the-back-end';

export interface WithoutOfferWorld {
  gateway: TestGateway;
  backEnd: AnsweringIssuer;
  foreign: ForeignIssuer;
  issuerDid: string;
  /** May issue for both. */
  partner: TestPartner;
  /** The office answers with credentials for the keys that it is sent. @param more further members of each answer */
  officeGives(issued?: Issued, more?: object): void;
  /** A wallet at an issuer. */
  at(issuerId: 'club' | 'office'): Authorizing;
  /** A code for a credential, after a login, and its verifier. */
  code(at: Authorizing, credentialId: string, email: string): Promise<{ code: string; verifier: string }>;
  /** A token for a credential, after a login. */
  token(at: Authorizing, credentialId: string, email: string, dpop?: Key): Promise<Answer>;
  /** A credential request for new keys. */
  ask(at: Authorizing, accessToken: string, credentialId: string, by?: Asking): Promise<Answer & { keys: Key[] }>;
  close(): Promise<void>;
}

interface Asking {
  dpop?: Key;
  keys?: Key[];
}

/** Registers the issuers at a gateway. @param url its address now: a killed gateway may come back at another */
export async function withoutOfferWorld(gateway: TestGateway, url: () => string): Promise<WithoutOfferWorld> {
  const [backEnd, foreign] = await Promise.all([startAnsweringIssuer(), startForeignIssuer()]);
  const put = async (path: string, body: object) => {
    const { status, body: record } = await gateway.admin('PUT', `/v1/admin/${path}`, { body });
    if (status !== 200) throw new Error(JSON.stringify(record));
    return record;
  };
  const club = { name: 'Club', issuerFrom: 'test', managed: true, apiKey: API_KEY };
  const { issuerDid } = await put('issuers/club', { ...club, subjectUrl: `${backEnd.url}/subject` });
  await put('issuers/office', {
    ...{ name: 'Office', issuerFrom: 'test', issuerDid: OFFICE, apiKey: API_KEY },
    ...{ credentialUrl: `${backEnd.url}/credential`, anchors: [foreign.anchor] },
  });
  await put(`schemas/${encodeURIComponent(SCHEMA.$id)}`, { jsonSchema: SCHEMA });
  const points = ['given_name', 'birthdate'].map((name) => ({ name, title: name, type: 'string', isRequired: true }));
  const dataPoints = points.map((point) => ({ ...point, description: '' }));
  await put('schemas/identity', { title: 'Identity', description: 'Who', dataPoints });
  const ofClub = { name: 'Member', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id };
  await put('credentials/member', ofClub);
  const ofOffice = { name: 'Identity', category: 'Office', issuerId: 'office', schemaId: 'identity', vct: VCT };
  await put('credentials/identity', ofOffice);
  const partner = await registerPartner(gateway, [issuerDid, OFFICE]);
  const codeOf: WithoutOfferWorld['code'] = async (at, credentialId, email) => {
    const { verifier, challenge } = newPkce();
    const pushed = await at.push(at.parameters(challenge, { scope: credentialId }));
    const page = await at.openPushed(pushed);
    await at.fill({ page: page.id, email });
    const mailed = await codeFor({ gateway } as never, email);
    const address = await at.follow(await at.fill({ page: page.id, code: mailed }), 'agree');
    return { code: address.searchParams.get('code') ?? '', verifier };
  };
  return {
    ...{ gateway, backEnd, foreign, issuerDid, partner, code: codeOf },
    officeGives(issued = {}, more = {}) {
      backEnd.answer = async ({ body }) => {
        const all = body.keys.map((jwk: object) =>
          foreign.issue({ ...issued, payload: { cnf: { jwk }, ...issued.payload } }),
        );
        return [200, { credentials: (await Promise.all(all)).map(({ credential }) => credential), ...more }];
      };
    },
    at: (issuerId) => new Authorizing(url(), `${PUBLIC}/oid4vci/${issuerId}`),
    async token(at, credentialId, email, dpop) {
      const { code, verifier } = await codeOf(at, credentialId, email);
      return at.token(code, verifier, {}, dpop);
    },
    async ask({ wallet }, accessToken, credentialId, { dpop, keys } = {}) {
      const all = keys ?? [await newKey(), await newKey()];
      const nonce = await wallet.nonce();
      const jwt = await Promise.all(all.map((key) => wallet.proof(key, nonce)));
      const body = { credential_configuration_id: credentialId, proofs: { jwt } };
      return { ...(await wallet.credential(accessToken, body, dpop)), keys: all };
    },
    async close() {
      await Promise.all([backEnd.close(), foreign.close()]);
    },
  };
}
