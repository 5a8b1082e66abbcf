// Programs that accept an identity credential of another issuer, and a degree of ours.
import { type ForeignIssuer, startForeignIssuer } from '../../openid4vp/foreign-issuer.js';
import type { GatewayOptions } from '../../support/gateway.js';
import type { Reach } from '../world.js';
import { startWalletWorld, type WalletWorld } from './world.js';

/** What tests do with the other issuer. */
export interface Foreign {
  foreign: ForeignIssuer;
  put(path: string, body: object): Promise<void>;
  /** Registers a program. @param accepted conditions by credential */
  program(id: string, accepted: Record<string, string[]>, more?: object): Promise<void>;
}

export type ForeignWorld = WalletWorld & Foreign;

export const FOREIGN = { name: 'Foreign', issuerFrom: 'government', issuerDid: 'did:web:foreign.example' };

/** Registers the issuer `foreign`, with its anchor, and its credential `identity`, with a claim that follows from the birth date. */
export async function foreignAt({ gateway }: Pick<Reach, 'gateway'>): Promise<Foreign> {
  const foreign = await startForeignIssuer();
  const put = async (path: string, body: object): Promise<void> => {
    const answer = await gateway.admin('PUT', `/v1/admin/${path}`, { body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  };
  await put('issuers/foreign', { ...FOREIGN, anchors: [foreign.anchor] });
  const dataPoints = [
    { name: 'given_name', type: 'string' },
    { name: 'birthdate', type: 'date' },
    { name: 'nationalities', type: 'string[]' },
  ];
  await put('schemas/identity', { title: 'Identity', description: '', dataPoints });
  await put('credentials/identity', {
    ...{ name: 'Identity', category: 'Government', issuerId: 'foreign', schemaId: 'identity', vct: 'urn:eudi:pid:1' },
    derived: [{ name: 'age_over_18', condition: 'birthdate <= today - 18 years' }],
  });
  return {
    foreign,
    put,
    program: (id, accepted, more = {}) =>
      put(`programs/${id}`, {
        ...{ name: id, description: '', verifierId: 'agency', pricingModel: 'Free' },
        acceptedCredentials: Object.entries(accepted).map(([credentialId, verificationConditions]) => ({
          credentialId,
          verificationConditions,
        })),
        ...more,
      }),
  };
}

/** Starts a gateway that knows both issuers. */
export async function startForeignWorld(options?: GatewayOptions): Promise<ForeignWorld> {
  const world = await startWalletWorld(options);
  return { ...world, ...(await foreignAt(world)) };
}
