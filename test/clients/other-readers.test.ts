// What we sign is read by libraries of others: by JSON-LD processors in safe mode, with every data point, and by readers of JWTs.
import { createRequire } from 'node:module';
import { type JWTVerifyOptions, verifyJWT } from 'did-jwt';
import { decodeJwt } from 'jose';
import jsonld from 'jsonld';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOfDidKey } from '../support/holder-device.js';
import { type Issuing, openPackage, startIssuing } from '../issuance/provable-fixture.js';

/** The contexts, as W3C publishes them. */
const { contexts }: { contexts: Map<string, object> } = createRequire(import.meta.url)(
  '@digitalbazaar/credentials-context',
);
const documentLoader = async (url: string) => {
  const document = contexts.get(url);
  if (document === undefined) throw new Error(`${url} is no context of W3C's`);
  return { contextUrl: undefined, documentUrl: url, document: document as never };
};
const statementsOf = (document: object) =>
  jsonld.toRDF(document as never, { format: 'application/n-quads', safe: true, documentLoader } as never);

const POINTS = [
  ['level', 'integer'],
  ['since', 'date'],
  ['type', 'string'],
  ['name', 'string'],
  ['fields', 'array'],
  ['address', 'object'],
] as const;
const SUBJECT = {
  level: 3,
  since: '2024-02-29',
  type: 'gold',
  name: 'a name of the subject',
  fields: ['astronomy', 'optics'],
  address: { city: 'Lund', country: 'Sweden' },
};

let issuing: Issuing;
let vc: string;
let list: string;

beforeAll(async () => {
  issuing = await startIssuing();
  const { gateway } = issuing;
  const dataPoints = POINTS.map(([name, type]) => ({ name, type, isRequired: true, description: '' }));
  await gateway.admin('PUT', '/v1/admin/schemas/wide', { body: { title: 'Wide', description: '', dataPoints } });
  await issuing.putCredential({ schemaId: 'wide' });
  ({ vc } = await openPackage(issuing, SUBJECT));
  const { credentialStatus } = decodeJwt<{ credentialStatus: { statusListCredential: string } }>(vc);
  list = (await gateway.rest('GET', new URL(credentialStatus.statusListCredential).pathname)).body;
});
afterAll(() => issuing?.gateway.close());

describe('A JSON-LD processor in safe mode', () => {
  it.each(['3', '2024-02-29', 'gold', 'a name of the subject', 'astronomy', 'optics', 'Lund', 'Sweden'])(
    'reads %s in the subject of a credential',
    async (value) => {
      expect(await statementsOf(decodeJwt(vc))).toContain(value);
    },
  );

  it('reads the nonce and the schema of a credential', async () => {
    const statements = await statementsOf(decodeJwt(vc));
    expect(statements).toContain('undefined-term#revocationNonce');
    expect(statements).toContain('/v1/schemas/wide/versions/1');
  });

  it('reads a status list', async () => {
    expect(await statementsOf(decodeJwt(list))).toContain('encodedList');
  });
});

describe('A reader of JWTs', () => {
  const verify = async (jwt: string) => {
    const { kid } = JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
    const publicKeyJwk = keyOfDidKey(issuing.issuerDid).export({ format: 'jwk' });
    const method = { id: kid, type: 'JsonWebKey2020', controller: issuing.issuerDid, publicKeyJwk };
    const didDocument = { id: issuing.issuerDid, verificationMethod: [method], assertionMethod: [kid] };
    const resolve = async () => ({ didDocument, didDocumentMetadata: {}, didResolutionMetadata: {} });
    return verifyJWT(jwt, { resolver: { resolve }, proofPurpose: 'assertionMethod' } as JWTVerifyOptions);
  };

  it.each([
    ['a credential', () => vc],
    ['a status list', () => list],
  ])('finds who issued %s, and verifies it', async (_what, jwt) => {
    const { verified, issuer, payload } = await verify(jwt());
    expect([verified, issuer, payload.issuer]).toEqual([true, issuing.issuerDid, issuing.issuerDid]);
  });
});
