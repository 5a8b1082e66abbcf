// Until the user's click, the page sees the same whatever the holder has: one opening of the dialog, at once, and nothing else; and the same end of a
// dialog that is closed. The wallet's own flows and host run here, on a clock of the test's.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CoreServiceError } from '../../../src/sdk/core/error.js';
import { issueCredential } from '../../../src/wallet/credentials/issue.js';
import type { CredentialParts, FlowDialog } from '../../../src/wallet/credentials/parts.js';
import { verifyCredential } from '../../../src/wallet/credentials/verify.js';
import { ScreenHost, type Shown } from '../../../src/wallet/screen-host.js';
import { Store } from '../../../src/wallet/store.js';
import { textsOf } from '../../../src/wallet/texts.js';

const GUESSES = 2_000;
const TIMED = 200;
/** What one request takes, milliseconds. */
const LATENCY_MS = 50;
const ISSUER = 'did:web:club.example';

beforeAll(() => {
  vi.stubGlobal('navigator', { onLine: true });
  const started = { verificationId: 'v', state: 'open' };
  vi.stubGlobal('fetch', async () => {
    await later();
    return { ok: true, status: 200, headers: new Headers(), json: async () => started };
  });
});
afterAll(() => vi.unstubAllGlobals());

/** The clock of the test: requests end when it says so. */
let now = 0;
const waiting: { at: number; end(): void }[] = [];
const later = (): Promise<void> => new Promise((end) => void waiting.push({ at: now + LATENCY_MS, end }));

async function advance(ms: number): Promise<void> {
  const until = now + ms;
  for (;;) {
    // What follows from what has ended runs before the next task.
    await new Promise((resolve) => setTimeout(resolve));
    const next = Math.min(...waiting.map(({ at }) => at));
    if (next > until) break;
    now = next;
    const due = waiting.filter(({ at }) => at === next);
    waiting.splice(0, waiting.length, ...waiting.filter(({ at }) => at !== next));
    for (const { end } of due) end();
  }
  now = until;
}

/** What a holder has: the content of a hosted preview, or credentials, of which some meet the program. */
interface Holder {
  age?: number;
  credentials?: ('meets' | 'does not' | 'expired' | 'broken')[];
}

/** A wallet of a holder, with what its page sees and its user's screen. */
class World {
  /** What the page sees, with the time of each. */
  readonly seen: [what: string, at: number][] = [];
  readonly asked: string[] = [];
  screen: Shown | undefined;
  readonly #from = now;
  readonly host = new ScreenHost({
    show: () => this.#see('show'),
    hide: () => this.#see('hide'),
    draw: (shown) => {
      this.screen = shown;
      if (shown?.screen?.kind === 'reading' && this.opensWindow) shown.answer?.({ open: true });
    },
  });

  constructor(
    private readonly holder: Holder,
    private readonly opensWindow = true,
  ) {}

  #see(what: string): void {
    this.seen.push([what, now - this.#from]);
  }

  /** Watches the call as its page does. */
  watch(call: Promise<unknown>): void {
    call.then(
      (value) => this.#see(JSON.stringify(value)),
      (error: CoreServiceError) => this.#see(`${error.name}: ${error.message}`),
    );
  }

  readonly #claims = () =>
    (this.holder.credentials ?? []).map((kind, at) => ({
      ...{
        credentialId: 'member',
        coreClaimHash: `hash ${at}`,
        schemaVersion: 1,
        storagePath: `dstorage://vc/${kind}`,
      },
      ...{ vcStatus: kind === 'expired' ? 'EXPIRE' : 'ONCHAIN', provable: kind !== 'expired' },
    }));

  readonly #call = async (path: string, call?: { body?: unknown }): Promise<unknown> => {
    await later();
    this.asked.push(`${path} ${call?.body ? JSON.stringify(call.body) : ''}`.trim());
    if (path.endsWith('/terms'))
      return {
        ...{ credentialId: 'hosted', issuerDid: ISSUER, issuerId: 'club', issuerName: 'Club' },
        name: 'Hosted',
        schemaId: 's',
        issuing: 'hosted',
      };
    if (path.startsWith('/v1/credentials/available')) {
      const preview = { schemaId: 's', credentialSubject: { encryptedData: String(this.holder.age) } };
      return { items: this.holder.age === undefined ? [] : [preview], unavailable: [] };
    }
    if (path.endsWith('/request'))
      return {
        challenge: { verificationId: 'v', now: '2026-01-01T00:00:00Z' },
        program: { name: 'P', verifierName: 'V', verifierDid: 'did:web:v.example', cak: false },
        accepted: [
          { credentialId: 'member', name: 'Member', issuerName: 'Club', conditions: [], fields: [], accumulators: [] },
        ],
        candidates: this.#claims(),
      };
    if (path.startsWith('/v1/holders/me/credentials/broken'))
      throw new CoreServiceError('INVALID_PARAMETER', 'No such credential.');
    return { data: path.split('/').at(-1) };
  };

  get parts(): CredentialParts {
    const keys = {
      decrypt: async ({ data }: { data: string }) => {
        await later();
        return Number.isNaN(Number(data)) ? null : JSON.stringify({ age: Number(data) });
      },
    };
    const login = { id: 'ada' };
    return {
      session: { call: this.#call, requireLogin: () => login },
      store: new Store('p', () => {
        throw new Error('denied');
      }),
      keys,
      vault: { loadProver: async () => {} },
      partner: { partnerId: 'p', name: 'Shop' },
      networkEnv: 'sandbox',
      texts: () => textsOf('en'),
      locale: () => 'en',
      approved: () => {},
      inDialog: <T>(flow: (dialog: FlowDialog) => Promise<T>) =>
        this.host.run((dialog) => {
          dialog.progress();
          return flow({ ...dialog, ensureKeys: async () => {} });
        }),
      ensureKeys: async () => {},
    } as unknown as CredentialParts;
  }

  guess(age: number): void {
    const options = { authToken: 't', issuerDid: ISSUER, credentialId: 'hosted', credentialSubject: { age } };
    this.watch(issueCredential(this.parts, options));
  }

  verify(): void {
    this.watch(verifyCredential(this.parts, { authToken: 't', programId: 'p' }));
  }

  /** Lets everything be read that is read before a click. */
  async settle(): Promise<void> {
    await advance(20 * LATENCY_MS);
  }
}

const CLOSED = 'USER_CANCELLED: The user closed the dialog or declined.';

describe('Before the click', () => {
  it('guesses of what an issuer has tell nothing: the page sees the same of the right one', async () => {
    const age = 1_234;
    const seen = new Map<string, number>();
    let right = '';
    const worlds = Array.from({ length: GUESSES }, (_, guess) => {
      const world = new World({ age });
      world.guess(guess);
      return world;
    });
    await worlds[0]?.settle();
    expect(worlds[age]?.screen?.screen?.kind).toBe('consent');
    expect(worlds[0]?.screen?.screen).toMatchObject({ kind: 'notice', text: expect.stringContaining('other content') });
    for (const world of worlds) world.host.dismiss();
    await worlds[0]?.settle();
    for (const [guess, world] of worlds.entries()) {
      const all = JSON.stringify(world.seen);
      seen.set(all, (seen.get(all) ?? 0) + 1);
      if (guess === age) right = all;
    }
    expect([...seen.values()]).toEqual([GUESSES]);
    expect(right).toContain(CLOSED);
  });

  it('nothing of the holder is read before the user has opened the window, in which everything is shown', async () => {
    const begin = [(world: World) => world.guess(5), (world: World) => world.verify()];
    for (const [at, start] of begin.entries()) {
      const world = new World({ age: 5, credentials: ['meets'] }, false);
      start(world);
      await world.settle();
      expect(world.screen?.screen?.kind).toBe('reading');
      const isRead = (path: string): boolean => /available|request|credentials\/\w+$/.test(path);
      expect(world.asked.filter(isRead)).toEqual([]);
      world.screen?.answer?.({ open: true });
      await world.settle();
      expect(world.asked.filter(isRead).length).toBeGreaterThan(0);
      expect([at, world.screen?.screen?.kind]).toEqual([at, 'consent']);
    }
  });

  it('a guess that is closed by its button ends as one that is declined', async () => {
    const [wrong, right] = [4, 5].map((age) => {
      const world = new World({ age: 5 });
      world.guess(age);
      return world;
    });
    await wrong?.settle();
    wrong?.screen?.answer?.({ closed: true });
    right?.host.dismiss();
    await wrong?.settle();
    expect(wrong?.seen.map(([what]) => what)).toEqual(['show', 'hide', CLOSED]);
    expect(right?.seen).toEqual(wrong?.seen);
  });

  it('timed calls tell nothing of what a holder has: the dialog opens at once, and its end follows the user alone', async () => {
    const kinds = ['meets', 'does not', 'expired', 'broken'] as const;
    const groups = new Map<string, Set<string>>();
    for (let at = 0; at < TIMED; at += 1) {
      const number = at % 4;
      const credentials = Array.from({ length: number * 3 }, (_, each) => kinds[(at + each) % 4] ?? 'meets');
      const world = new World({ credentials });
      world.verify();
      // The page, or the user, closes it at any time, also while everything is being read.
      const closesAt = LATENCY_MS * (2 + (Math.floor(at / 4) % 8));
      await advance(closesAt);
      world.host.dismiss();
      await world.settle();
      const all = JSON.stringify(world.seen);
      const key = String(closesAt);
      groups.set(key, (groups.get(key) ?? new Set()).add(all));
      expect(world.asked.filter((path) => path.includes('/answer'))).toEqual([
        '/v1/verifications/v/answer {"declined":true}',
      ]);
    }
    expect(groups.size).toBe(8);
    for (const [closesAt, seen] of groups) {
      expect(seen.size, `closed after ${closesAt} ms`).toBe(1);
      const opened = ['show', LATENCY_MS];
      const events = JSON.parse([...seen][0] ?? '[]');
      expect(events).toEqual([opened, ['hide', Number(closesAt)], [CLOSED, Number(closesAt)]]);
    }
  });

  it('nor does a failure while a credential is read: the user sees it, and the page hears of it after that', async () => {
    const world = new World({ credentials: ['broken'] });
    world.verify();
    await world.settle();
    expect(world.screen?.screen).toMatchObject({ kind: 'notice' });
    expect(world.seen).toEqual([['show', LATENCY_MS]]);
    world.screen?.answer?.({ closed: true });
    await world.settle();
    expect(world.seen.map(([what]) => what)).toEqual(['show', 'hide', CLOSED]);
  });
});
