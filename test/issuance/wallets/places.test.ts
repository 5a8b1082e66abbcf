// Places of copies in token status lists: two issuances never share one, whatever they draw at the same time.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { partnerWithoutToken } from '../../../src/base/callers/caller.js';
import { issuanceModels } from '../../../src/issuance/models.js';
import { Instances } from '../../../src/issuance/wallets/instances.js';
import { EMAIL, type Membership, startMembership } from '../../support/membership.js';

let world: Membership;
beforeAll(async () => {
  world = await startMembership();
});
afterAll(() => world?.gateway.close());

/** Issues a credential whose only copy gets the first of these places that is free. */
async function issueWith(email: string, indexes: number[]) {
  const { gateway, partnerId, issuerDid } = world;
  const request = {
    ...{ issuerDid, credentialId: 'member', email, onDuplicate: 'revoke' as const },
    credentialSubject: { level: 7, since: '2024-01-01', note: 'a note' },
  };
  const issuer = (await gateway.app.connection.collection('issuers').findOne({ issuerDid })) as never;
  const { issuance } = await gateway.app.services.issuance.issueToWallet(
    partnerWithoutToken(partnerId, ['issue']),
    request,
    {
      issuer,
      drawInstances: async () => [{ key: email, list: 'club.w1', index: indexes.shift() ?? -1 }],
      record: async () => {},
    },
  );
  const { coreClaimHash } = issuance;
  const row = await gateway.app.connection.collection('issuances').findOne({ coreClaimHash });
  return row?.instances.map(({ index }: { index: number }) => index);
}

describe('An issuance whose place was drawn by another one meanwhile', () => {
  it('draws again', async () => {
    expect(await issueWith(EMAIL, [7])).toEqual([7]);
    expect(await issueWith('second@example.org', [7, 8])).toEqual([8]);
  });
});

describe('Places of copies', () => {
  const rows = () => world.gateway.app.connection.collection('issuances');
  /** Numbers in place of random ones: 0, 1, 2 and so on, below `size`. */
  const counting = (size: number) => {
    let next = 0;
    return () => next++ % size;
  };
  const take = (list: string, indexes: readonly number[]) => {
    const id = randomUUID();
    const instances = indexes.map((index) => ({ key: `${index}`, list, index }));
    return rows().insertOne({ _id: id as never, coreClaimHash: id, revocationNonce: id, holderId: id, instances });
  };
  const keys = (count: number): string[] => Array.from({ length: count }, (_, at) => `key ${at}`);

  it('are looked up once for many requests, and none is returned twice', async () => {
    const { models, find } = spied();
    const instances = new Instances(models, counting(100_000));
    const drawn = [];
    for (let request = 0; request < 6; request += 1) drawn.push(...(await instances.draw('many', keys(10))));
    expect(new Set(drawn.map(({ index }) => index)).size).toBe(60);
    expect(find).toHaveBeenCalledTimes(1);
    find.mockRestore();
  });

  it('are looked up again after a second, when other processes may have used them', async () => {
    const { models, find } = spied();
    const instances = new Instances(models, counting(100_000));
    const now = vi.spyOn(performance, 'now').mockReturnValue(10_000);
    await instances.draw('stale', keys(1));
    now.mockReturnValue(10_900);
    await instances.draw('stale', keys(1));
    expect(find).toHaveBeenCalledTimes(1);
    now.mockReturnValue(11_100);
    expect(await instances.draw('stale', keys(1))).toEqual([{ key: 'key 0', list: 'stale.w1', index: 127 }]);
    expect(find).toHaveBeenCalledTimes(2);
    now.mockRestore();
    find.mockRestore();
  });

  it('are not those of other copies, and come from the next list when one is full', async () => {
    await take('half.w1', [0, 1, 2, 3, 5, 8]);
    await take('full.w1', [0, 1, 2, 3, 4, 5, 6, 7]);
    const instances = new Instances(spied().models, counting(8));
    expect((await instances.draw('half', keys(2))).map(({ list, index }) => `${list} ${index}`).sort()).toEqual([
      'half.w1 6',
      'half.w1 7',
    ]);
    expect(await instances.draw('full', keys(1))).toEqual([{ key: 'key 0', list: 'full.w2', index: 7 }]);
  });

  it('are different for each copy of one issuance, although the same numbers come again', async () => {
    const instances = new Instances(spied().models, counting(70));
    const drawn = await instances.draw('again', keys(70));
    expect(new Set(drawn.map(({ index }) => index)).size).toBe(70);
  });

  function spied() {
    const models = issuanceModels(world.gateway.app.connection);
    return { models, find: vi.spyOn(models.issuances.collection, 'find') };
  }
});
