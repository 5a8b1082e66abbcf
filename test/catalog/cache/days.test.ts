// What depends on the day, `today` in conditions, is never shown from a cache on another day (UTC).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import type { TestGateway } from '../../support/gateway.js';
import { startMembership } from '../../support/membership.js';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-26T12:00:00Z');
/** Conditions of a program, and the days after the 26th on which it can be proven. */
const PROGRAMS: Readonly<Record<string, { conditions: string[]; provable: readonly boolean[] }>> = {
  'until-tomorrow': { conditions: ['since >= today', 'since <= 2026-11-27'], provable: [true, true, false] },
  'a-month-back': { conditions: ['since >= today - 1 month', 'since <= 2026-10-26'], provable: [true, false, false] },
  'from-the-28th': { conditions: ['since >= 2026-11-28', 'since <= today'], provable: [false, false, true] },
  'every-day': { conditions: ['since <= today'], provable: [true, true, true] },
};
const NAMES = Object.keys(PROGRAMS).sort();

let gateway: TestGateway;
let now = NOON;
beforeAll(async () => {
  ({ gateway } = await startMembership({ clock: () => now }));
  const put = async (path: string, body: object) =>
    expect((await gateway.admin('PUT', `/v1/admin/${path}`, { body })).body).toHaveProperty('name');
  await put('verifiers/agency', { name: 'Agency', verifierDid: 'did:web:agency.example' });
  for (const [name, { conditions }] of Object.entries(PROGRAMS)) {
    const acceptedCredentials = [{ credentialId: 'member', verificationConditions: conditions }];
    const program = { name, description: '', verifierId: 'agency', pricingModel: 'Free', acceptedCredentials };
    await put(`programs/${encodeURIComponent(name)}`, program);
  }
});
afterAll(() => gateway?.close());

interface Shown {
  provable: string[];
  unprovable: string[];
  opens: string[];
}

const QUERY = `{
  programs { nodes { name description createdAt id programId provable unprovable { why } } }
  credential(credentialId: "member") { name opens { program { name } } }
}`;

async function shown(headers: Record<string, string>): Promise<Shown> {
  const { data } = await gateway.gql(QUERY, {}, headers);
  const programs: { name: string; provable: boolean; unprovable: object[] }[] = data.programs.nodes;
  const opens: { program: { name: string } }[] = data.credential.opens;
  return {
    provable: programs.filter(({ provable }) => provable).map(({ name }) => name),
    unprovable: programs.filter(({ unprovable }) => unprovable.length > 0).map(({ name }) => name),
    opens: opens.map(({ program }) => program.name),
  };
}

function expected(day: number): Shown {
  const provable = NAMES.filter((name) => PROGRAMS[name]?.provable[day]);
  return { provable, unprovable: NAMES.filter((name) => !provable.includes(name)), opens: provable };
}

const sorted = ({ provable, unprovable, opens }: Shown): Shown => ({
  provable: provable.sort(),
  unprovable: unprovable.sort(),
  opens: opens.sort(),
});

async function hits(metric: string): Promise<number> {
  const { body } = await gateway.admin('GET', '/metrics');
  return Number(new RegExp(`^gateway_${metric}\\{result="hits"\\} (\\d+)$`, 'm').exec(String(body))?.[1]);
}

describe.each([
  ['row texts', 'cached_row_texts', () => ({ 'x-admin-api-key': gateway.operatorKey })],
  ['responses', 'cached_responses', () => ({})],
] as const)('From cached %s', (_, metric, headersOf) => {
  it('a program is shown as provable on the days on which it is', async () => {
    for (const day of [0, 1, 2]) {
      // Late on a day is still that day.
      for (const hours of [0, 11]) {
        now = NOON + day * DAY_MS + hours * 3_600_000;
        const before = await hits(metric);
        // Again until it comes from the cache, however far the change stream of a busy machine is behind.
        const all: Shown[] = [];
        await eventually(async () => {
          all.push(sorted(await shown(headersOf())));
          expect(await hits(metric)).toBeGreaterThan(before);
        });
        for (const each of all) expect(each).toEqual(expected(day));
      }
    }
  });
});
