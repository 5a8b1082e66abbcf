// What a thief of the store and KEYSTORE_KEY reads of offers: everything that the product's own box opens is opened, and no subject is among it.
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SealContext, SealedBox } from '../../src/keys/sealed-box.js';
import { open, subjectKeyOf, unwrap } from '../../src/openid4vci/secrets.js';
import { type AuthorizingWorld, startAuthorizingWorld } from './authorizing-world.js';
import { newKey } from './wallet.js';

const WHATS: Record<SealContext['what'], true> = {
  ...{ keystore: true, 'signing-key': true, 'zk-key': true, 'nullifier-key': true, 'holder-key': true },
  ...{ 'holder-email': true, 'partner-user-id': true, mailbox: true, 'api-key': true, 'batch-row': true, event: true },
  ...{ 'idempotent-answer': true, 'relayer-key': true, 'webhook-secret': true, 'wallet-response-key': true },
};

let at: AuthorizingWorld;
beforeAll(async () => {
  at = await startAuthorizingWorld();
});
afterAll(() => at?.close());

/** All texts in a value, at any depth. */
const textsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsOf)
      : [];

/** What a run returns; undefined if it throws. */
function tried<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Every text of the store, and what each opens to by the box, under any context that its row can name. */
async function readable(connection: Connection, box: SealedBox): Promise<{ stored: string[]; opened: string[] }> {
  const stored: string[] = [];
  const opened: string[] = [];
  for (const { name } of await connection.listCollections())
    for (const row of await connection.collection(name).find({}).toArray()) {
      const texts = textsOf(JSON.parse(JSON.stringify(row)));
      stored.push(...texts);
      for (const text of texts.filter((each) => box.keyIds.includes(box.keyIdOf(each))))
        for (const what of Object.keys(WHATS) as SealContext['what'][])
          for (const whose of texts) {
            const plain = tried(() => box.unsealText(text, { what, whose }));
            if (plain !== undefined) opened.push(plain);
          }
    }
  return { stored, opened };
}

it('of an offer that is not issued, the store and KEYSTORE_KEY read no subject, however far a wallet has come', async () => {
  const { world, first } = at;
  const { connection, services } = world.gateway.app;
  const open1 = await at.requested();
  const pushed = await at.requested();
  expect((await first.push(pushed.parameters)).status).toBe(201);
  const agreed = await at.requested();
  const code = (await first.codeOf(world, agreed.parameters, agreed.email)).searchParams.get('code') ?? '';
  const claimed = await at.requested();
  const address = await first.codeOf(world, claimed.parameters, claimed.email);
  const key = await newKey();
  const token = await first.token(address.searchParams.get('code') ?? '', claimed.verifier, {}, key);
  expect(token.status).toBe(200);

  const { stored, opened } = await readable(connection, services.box);
  // The box does open what is sealed under KEYSTORE_KEY: addresses, for one.
  expect(opened).toContain(claimed.email);
  const offers = await connection.collection('offers').find({}).toArray();
  expect(offers.map(({ state }) => state).sort()).toEqual(['claimed', 'open', 'open', 'open']);
  const wrapped = [
    ...(await connection.collection('walletTokens').find({}).toArray()),
    ...(await connection.collection('walletAuthorizations').find({}).toArray()),
  ];
  expect(wrapped.length).toBeGreaterThanOrEqual(4);
  const known = [...new Set([...stored, ...opened])];
  for (const text of known) {
    expect(text).not.toContain('canary note');
    for (const { _id, codeKey, stateKey } of offers)
      for (const sealed of [codeKey, stateKey])
        expect(tried(() => subjectKeyOf(text, sealed, String(_id)))).toBeUndefined();
    for (const { offerId, wrappedKey, codeKey } of wrapped)
      for (const sealed of [wrappedKey, codeKey].filter(Boolean))
        expect(tried(() => unwrap(text, sealed, offerId))).toBeUndefined();
  }
  // Whoever has what was given out does read it.
  const mine = offers.find(({ _id }) => String(_id) === open1.offerId);
  const subjectKey = subjectKeyOf(open1.parameters.issuer_state ?? '', mine?.stateKey, open1.offerId);
  const subject = open(subjectKey, mine?.sealedSubject, open1.offerId);
  expect(subject.toString()).toContain('canary note');
  const page = wrapped.find(({ offerId, codeKey }) => offerId === agreed.offerId && codeKey !== undefined);
  expect(unwrap(code, page?.codeKey, agreed.offerId)).toHaveLength(32);
});
