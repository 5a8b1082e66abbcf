// A partner, a managed issuer and its membership credential, for the tests of issuance.
import { type GatewayOptions, type RestAnswer, startGateway, type TestGateway } from './gateway.js';
import { registerPartner, type TestPartner } from './partner.js';

export const EMAIL = 'ada.canary@example.org';
export const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://schemas.example/membership.json',
  title: 'Membership',
  type: 'object',
  properties: {
    credentialSubject: {
      type: 'object',
      required: ['level', 'since'],
      properties: {
        id: { type: 'string' },
        level: { type: 'integer', minimum: 1, maximum: 9 },
        since: { type: 'string', format: 'date' },
        note: { type: 'string', pattern: '^[a-z ]*$' },
      },
    },
  },
};

export interface Membership {
  gateway: TestGateway;
  partnerId: string;
  issuerDid: string;
  token: TestPartner['token'];
  /** A call with a partner token of scope issue. */
  partner: TestPartner['rest'];
}

function must(answer: RestAnswer): RestAnswer {
  if (answer.status !== 200) throw new Error(`refused: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Starts a gateway where the partner may issue `member` for the managed issuer `club`. */
export async function startMembership(options?: GatewayOptions): Promise<Membership> {
  const gateway = await startGateway(options);
  const put = async (path: string, body: object) => must(await gateway.admin('PUT', `/v1/admin/${path}`, { body }));
  const { issuerDid } = (await put('issuers/club', { name: 'Club', issuerFrom: 'test', managed: true })).body;
  await put(`schemas/${encodeURIComponent(SCHEMA.$id)}`, { jsonSchema: SCHEMA });
  await put('credentials/member', {
    name: 'Member',
    category: 'Club',
    issuerId: 'club',
    schemaId: SCHEMA.$id,
    expirationDuration: 86_400,
  });
  const { partnerId, token, rest: partner } = await registerPartner(gateway, [issuerDid]);
  return { gateway, partnerId, issuerDid, token, partner };
}
