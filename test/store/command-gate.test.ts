// The gate in front of the store: it limits the commands of each caller at the same time; the others wait in fair
// queues.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/base/callers/caller.js';
import { type Asker, CommandGate } from '../../src/store/command-gate.js';

const LIMITS = { perCaller: 3, anonymous: 8 };
/** A quarter of all commands. */
const PER_ADDRESS = 2;

const partner = (partnerId: string): Caller => ({
  kind: 'partner',
  partnerId,
  scopes: [],
  claims: {},
  kid: 'key',
  expiresAt: 0,
});

/** A client that can disconnect. */
class Client implements Asker {
  #left = false;

  constructor(
    readonly address: string,
    readonly caller: Caller = { kind: 'anonymous' },
  ) {}

  hasLeft(): boolean {
    return this.#left;
  }

  leave(): void {
    this.#left = true;
  }
}

/** Commands that run until the test ends them. */
class Store {
  readonly running: { name: string; end(): void }[] = [];
  readonly started: string[] = [];

  command(name: string): () => Promise<string> {
    return () => {
      this.started.push(name);
      return new Promise((resolve) => {
        const command = {
          name,
          end: () => {
            this.running.splice(this.running.indexOf(command), 1);
            resolve(name);
          },
        };
        this.running.push(command);
      });
    };
  }

  /** Ends the command that has run longest; resolves when the next one may have started. */
  async end(): Promise<void> {
    this.running[0]?.end();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }
}

function ask(gate: CommandGate, store: Store, client: Client, many: number, name: string) {
  return Array.from({ length: many }, (_, at) => gate.run(client, store.command(`${name}${at}`)));
}

describe('The gate', () => {
  it("the gate runs a caller's commands up to its limit, the others in their order", async () => {
    const [gate, store] = [new CommandGate(LIMITS), new Store()];
    const answers = ask(gate, store, new Client('10.0.0.1', partner('p')), 6, 'p');
    expect(store.started).toEqual(['p0', 'p1', 'p2']);
    while (store.running.length > 0) await store.end();
    expect(await Promise.all(answers)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5']);
    expect(store.started).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5']);
  });

  it('the gate counts callers by their credentials, and anonymous ones by their network', () => {
    const [gate, store] = [new CommandGate(LIMITS), new Store()];
    ask(gate, store, new Client('10.0.0.1', partner('p')), 2, 'here');
    ask(gate, store, new Client('10.0.0.2', partner('p')), 2, 'there');
    ask(gate, store, new Client('10.0.0.2', partner('q')), 1, 'other');
    ask(gate, store, new Client('2001:db8::1'), 2, 'v6-');
    ask(gate, store, new Client('2001:db8::2'), 1, 'neighbour');
    expect(store.started).toEqual(['here0', 'here1', 'there0', 'other0', 'v6-0', 'v6-1']);
  });

  it('the gate serves anonymous callers in turn: one with few commands does not wait for one with many', async () => {
    const [gate, store] = [new CommandGate(LIMITS), new Store()];
    for (let at = 1; at <= 4; at += 1) ask(gate, store, new Client(`10.0.0.${at}`), 50, `a${at}-`);
    expect(store.running).toHaveLength(8);
    ask(gate, store, new Client('10.0.0.9'), 1, 'little');
    for (let ended = 0; ended < 5; ended += 1) await store.end();
    expect(store.started).toContain('little0');
    expect(store.running).toHaveLength(8);
  });

  it('the operator and partners never wait for anonymous callers', () => {
    const [gate, store] = [new CommandGate(LIMITS), new Store()];
    for (let at = 0; at < 20; at += 1) ask(gate, store, new Client(`10.0.0.${at}`), 20, 'a');
    store.started.length = 0;
    ask(gate, store, new Client('10.0.0.1', { kind: 'operator', keyName: 'configured', role: 'all' }), 50, 'operator');
    ask(gate, store, new Client('10.0.0.1', partner('p')), 1, 'partner');
    expect(store.started).toHaveLength(51);
  });

  it('the gate starts nothing for a client that has left before its turn', async () => {
    const [gate, store] = [new CommandGate(LIMITS), new Store()];
    const leaving = new Client('10.0.0.1');
    const answers = ask(gate, store, leaving, 10, 'leaves');
    const staying = ask(gate, store, new Client('10.0.0.1'), 1, 'stays');
    leaving.leave();
    const settled = Promise.allSettled(answers);
    while (store.running.length > 0) await store.end();
    expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(8);
    expect(await Promise.all(staying)).toEqual(['stays0']);
    await expect(gate.run(leaving, store.command('late'))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(store.started).toEqual(['leaves0', 'leaves1', 'stays0']);
  });

  it('the gate deletes an address without running work whose waiting clients have left', async () => {
    const [gate, store] = [new CommandGate(LIMITS), new Store()];
    for (let at = 1; at <= 4; at += 1) void ask(gate, store, new Client(`10.0.0.${at}`), PER_ADDRESS, 'runs');
    const waiting = Array.from({ length: 20 }, (_, at) => new Client(`10.0.1.${at}`));
    const answers = Promise.allSettled(waiting.flatMap((client) => ask(gate, store, client, 2, 'waits')));
    for (const client of waiting) client.leave();
    while (store.running.length > 0) await store.end();
    expect((await answers).map(({ status }) => status)).not.toContain('fulfilled');
    expect(gate.callers).toBe(0);
  });

  it('when a thousand commands wait, those of clients that have left make room for others', async () => {
    const [gate, store] = [new CommandGate(LIMITS), new Store()];
    const leaving = new Client('10.0.0.1');
    const left = Promise.allSettled(ask(gate, store, leaving, 1_000 + PER_ADDRESS, 'a'));
    leaving.leave();
    const staying = gate.run(new Client('10.0.0.1'), store.command('stays'));
    expect(gate.queued).toBe(1);
    while (store.running.length > 0) await store.end();
    expect(await staying).toBe('stays');
    await left;
  });

  it('the gate refuses a caller with a thousand waiting commands', async () => {
    const [gate, store] = [new CommandGate(LIMITS), new Store()];
    const client = new Client('10.0.0.1');
    ask(gate, store, client, 1_000 + PER_ADDRESS, 'a');
    await expect(gate.run(client, store.command('more'))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      data: { retryAfter: 1 },
    });
  });

  it('after a failed command, the next one starts', async () => {
    const gate = new CommandGate({ perCaller: 1, anonymous: 1 });
    const client = new Client('10.0.0.1');
    const failing = gate.run(client, () => Promise.reject(new Error('away')));
    const next = gate.run(client, async () => 'next');
    await expect(failing).rejects.toThrow('away');
    expect(await next).toBe('next');
  });
});

type Step = { do: 'ask' | 'end' | 'leave'; who: number };
const steps = fc.array(fc.record({ do: fc.constantFrom<Step['do']>('ask', 'ask', 'end', 'leave'), who: fc.nat(7) }), {
  maxLength: 150,
});

describe('Whatever is asked, ended and given up in whatever order', () => {
  it('in any order of commands, ends and aborts, limits hold, no command waits without need, and all end', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const [gate, store] = [new CommandGate(LIMITS), new Store()];
        const clientOf = (who: number) =>
          new Client(`10.0.0.${who}`, who < 2 ? partner(`p${who}`) : { kind: 'anonymous' });
        const clients = Array.from({ length: 8 }, (_, who) => clientOf(who));
        const asked: Promise<unknown>[] = [];
        for (const { do: what, who } of all) {
          const client = clients[who];
          if (!client) continue;
          if (what === 'ask') asked.push(gate.run(client, store.command(`${who}-`)).catch(() => 'left'));
          if (what === 'end') await store.end();
          if (what === 'leave') {
            client.leave();
            clients[who] = clientOf(who);
          }
          const running = (name: string) => store.running.filter((command) => command.name === name).length;
          for (let each = 0; each < 8; each += 1)
            expect(running(`${each}-`)).toBeLessThanOrEqual(each < 2 ? LIMITS.perCaller : PER_ADDRESS);
          const strangers = store.running.length - running('0-') - running('1-');
          expect(strangers).toBeLessThanOrEqual(LIMITS.anonymous);
        }
        while (store.running.length > 0) await store.end();
        expect(gate.queued).toBe(0);
        await Promise.all(asked);
      }),
    );
  });
});
