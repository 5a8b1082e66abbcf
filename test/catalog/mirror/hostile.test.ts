// A network that is slow, wrong, changing or endless: wrong entries are refused and reported, and the others are
// mirrored.
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessLease } from '../../../src/store/process-lease.js';
import { OPERATOR } from '../admin/admin-store.js';
import { ALL, type MirrorWorld, messages, openMirrorWorld } from './mirror-world.js';
import { envelope, flood, send } from './source-server.js';

let world: MirrorWorld;
beforeEach(async () => {
  world = await openMirrorWorld();
});
afterEach(() => world.close());

const MILLION = { acceptedCredentials: Array(1_000_000).fill(1) };

describe('A source that is as it should be', () => {
  it('a source is mirrored completely, with at most four requests at a time', async () => {
    world.source.slowDown(50);
    const { summary } = await world.run();
    expect(summary).toMatchObject({ result: 'done', created: ALL, refused: 0, continued: false });
    expect(world.source.mostOpen()).toBeLessThanOrEqual(4);
  });

  it('a source is read in full only where its lists have changed', async () => {
    await world.run();
    world.source.asked.length = 0;
    const record = world.source.network.schemas.get('schema-3')?.credentials[0];
    Object.assign(record ?? {}, { name: 'Renamed' });
    Object.assign(world.source.network.credentials.get('credential-3') ?? {}, { name: 'Renamed' });
    const { summary } = await world.run();
    expect(summary).toMatchObject({ result: 'done', created: 0, updated: 1, refused: 0 });
    expect(world.source.asked.filter((path) => path.includes('/credentials/'))).toEqual([
      '/v1/catalog/credentials/credential-3',
    ]);
    expect(world.source.asked.filter((path) => path.includes('/programs/'))).toEqual([]);
  });

  it('a source is read in full again if the run requests it, and after a day', async () => {
    await world.run();
    for (const again of [{ full: true }, {}]) {
      world.source.asked.length = 0;
      await world.run(again);
      expect(new Set(world.source.asked.filter((path) => path.includes('/programs/'))).size).toBe(12);
      world.ahead += 24 * 3_600_000;
    }
  });

  it('a mirrored program keeps the text of conditions that do not parse', async () => {
    const program = world.source.network.programs.get('program-0') as {
      acceptedCredentials: { verificationConditions: string[] }[];
    };
    const accepted = program.acceptedCredentials[0];
    if (accepted) accepted.verificationConditions = ['level IS AT LEAST three', 'height > 2'];
    expect((await world.run()).summary).toMatchObject({ created: ALL, refused: 0 });
    const row = await world.store.models.programs.findById('program-0').lean();
    expect(row?.acceptedCredentials).toEqual([
      {
        credentialId: 'credential-0',
        verificationConditions: ['level IS AT LEAST three', 'height > 2'],
        conditions: null,
      },
    ]);
  });
});

const json = (response: ServerResponse, text: string) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(text);

describe('A source that is wrong', () => {
  it('a source that lists pages without end is read until they repeat', async () => {
    world.source.interfere((path, response) => {
      if (!path.startsWith('/v1/catalog/schemas?')) return false;
      send(response, 200, envelope({ pages: 1e9, records: [{ schemaId: 'schema-1' }, { schemaId: 'schema-2' }] }));
      return true;
    });
    const { lines, summary } = await world.run();
    expect(messages(lines)).toEqual([
      'schemas/ Page 2: repeats earlier pages: the list is not read further.',
      ...missingCredentials,
    ]);
    expect(summary.result).toBe('done');
    expect(await world.liveIds('schemas')).toEqual(['schema-1', 'schema-2']);
  });

  // Credentials without a schema in this gateway are refused and reported, and so are the programs that accept them.
  const others = Array.from({ length: 12 }, (_, at) => at).filter((at) => at !== 1 && at !== 2);
  const missingCredentials = [
    ...others.map((at) => `credentials/credential-${at} "schemaId" names no schema: schema-${at}.`),
    ...others.map(
      (at) => `programs/program-${at} "acceptedCredentials[0].credentialId" names no credential: credential-${at}.`,
    ),
  ];

  it('a source may have ids with control characters, or that lead to other paths', async () => {
    world.source.interfere((path, response) => {
      if (!path.startsWith('/v1/catalog/programs?')) return false;
      const records = ['program-1', 'a\u0000b', '\u001b[2J', '..', 'two words', 7].map((programId) => ({ programId }));
      send(response, 200, envelope({ pages: 1, records }));
      return true;
    });
    const { lines } = await world.run();
    expect(messages(lines)).toEqual(
      ['"a\\u0000b"', '"\\u001b[2J"', '".."', '"two words"', '7'].map(
        (id) => `programs/ Page 1: has an entry whose programId is not an id: ${id}.`,
      ),
    );
    expect(await world.liveIds('programs')).toEqual(['program-1']);
    expect(world.source.asked.filter((path) => /\/programs\/(?!program-1$)/.test(path))).toEqual([]);
  });

  it.each([
    ['100 MB', (r: ServerResponse) => flood(r), 'The response is larger than 4194304 bytes.'],
    ['a page', (r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), 'the answer is not JSON'],
    ['half a text', (r) => void r.writeHead(200).end('{"code"'), 'the answer is not JSON'],
    [
      'another entry',
      (r) => send(r, 200, envelope({ programId: 'other' })),
      'the source responded with something else',
    ],
    ['another code', (r) => send(r, 200, { code: 1, data: {} }), 'the answer has no data with the code 80000000'],
    ['a fault', (r) => send(r, 500, {}), 'the source responded with 500'],
    [
      'another address',
      (r) => void r.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'the source responded with 302',
    ],
    ['deep lists', (r) => json(r, '['.repeat(50_000)), 'the answer is nested too deeply'],
    ['half a surrogate pair', (r) => json(r, '{"code":"\\ud800"}'), 'the answer is not Unicode'],
    ['wrong types', (r) => send(r, 200, envelope({ programId: 'program-5', name: 5 })), '"name" must be a string.'],
    [
      'a million members',
      (r) => send(r, 200, envelope({ ...world.source.network.programs.get('program-5'), ...MILLION })),
      '"acceptedCredentials" must have at most 100 entries.',
    ],
    ['nothing', () => {}, 'The other side took too long.'],
    ['a cut', (r) => void r.destroy(), 'The connection broke.'],
  ] as [string, (response: ServerResponse) => void, string][])(
    'a source may respond for one entry with %s',
    async (name, answer, message) => {
      if (name === 'nothing') world.mirrors = world.newMirrors(2_000);
      world.source.interfere((path, response) => {
        if (!path.endsWith('/program-5')) return false;
        answer(response);
        return true;
      });
      const { lines, summary } = await world.run();
      expect(messages(lines)).toEqual([`programs/program-5 ${message}`]);
      expect(summary).toMatchObject({ result: 'done', created: ALL - 1, refused: 1 });
    },
  );

  it('a source may change while it is read: skipped entries are looked up, and only missing ones are marked', async () => {
    await world.run();
    world.source.network.credentials.delete('credential-4');
    world.source.network.schemas.get('schema-4')?.credentials.splice(0);
    world.source.network.programs.delete('program-4');
    // The source has lost the position of the cursor in its list.
    world.source.interfere((path, response) => {
      if (!path.startsWith('/v1/catalog/schemas?')) return false;
      send(response, 200, envelope({ pages: 1, records: [{ schemaId: 'schema-0' }] }));
      return true;
    });
    const { lines, summary } = await world.run();
    expect(messages(lines, 'missing').map((text) => text.split(' ')[0])).toEqual([
      'credentials/credential-4',
      'programs/program-4',
    ]);
    expect(summary).toMatchObject({ result: 'done', missing: 2, refused: 0 });
    expect(await world.liveIds('programs')).toContain('program-4');
    const origin = await world.store.models.mirrored.findById('programs program-4').lean();
    expect(origin?.missingSince).toBeInstanceOf(Date);
  });
});

describe('A source that is busy or away', () => {
  it('a busy source gets the pause that it asks for', async () => {
    world.standing = Date.now();
    let refusals = 2;
    world.source.interfere((path, response) => {
      if (!path.endsWith('/schema-7') || refusals === 0) return false;
      refusals -= 1;
      send(response, 429, {}, { 'retry-after': '17' });
      return true;
    });
    expect((await world.run()).summary).toMatchObject({ result: 'done', created: ALL, refused: 0 });
    expect(world.pauses).toContain(17_000);
  });

  it('a source that asks for a long pause ends the run, and the next run continues', async () => {
    world.source.interfere((path, response) => {
      if (!path.startsWith('/v1/catalog/programs')) return false;
      send(response, 503, {}, { 'retry-after': '3600' });
      return true;
    });
    expect((await world.run()).summary).toMatchObject({
      result: 'stopped',
      created: 27,
      message: 'The source asks for a pause of 60 minutes.',
    });
    world.source.interfere(undefined);
    world.source.asked.length = 0;
    expect((await world.run()).summary).toMatchObject({ result: 'done', continued: true, created: ALL, refused: 0 });
    expect(world.source.asked.filter((path) => path.includes('/schemas'))).toEqual([]);
  });

  it('a source that fails again and again ends the run', async () => {
    world.source.interfere((_, response) => {
      response.destroy();
      return true;
    });
    const { summary } = await world.run();
    const sentence = 'The list of schemas cannot be read: The connection broke.';
    expect(summary).toMatchObject({ result: 'stopped', created: 0, message: sentence });
    world.source.interfere((path, response) => {
      if (/programs\//.test(path)) response.destroy();
      return /programs\//.test(path);
    });
    expect((await world.run()).summary).toMatchObject({
      result: 'stopped',
      message: 'The source is away. The connection broke.',
    });
  });

  it('a source is read by one run at a time', async () => {
    const other = world.newMirrors();
    const lease = world.leases[0] as ProcessLease;
    const startOf = (mirrors: typeof other) => mirrors.run(OPERATOR, { from: world.source.base });
    /** The first run, and what the second one is refused with; again if the first process stood still and lost its lease. */
    const both = async (): Promise<[ReturnType<typeof startOf>, unknown]> => {
      const { lost } = await lease.held();
      const [first, second] = [startOf(world.mirrors), startOf(other)];
      await first.next();
      const refusal = await second.next().catch((error: unknown) => error);
      if (!lost.aborted) return [first, refusal];
      await Promise.all([first, second].map((run) => run.return(undefined)));
      return both();
    };
    const [first, refusal] = await both();
    expect(refusal).toMatchObject({ code: 'CONFLICT' });
    world.mirrors = other;
    await first.return(undefined);
    expect((await world.run()).summary.result).toBe('done');
  });
});

it.each([
  'http://10.0.0.1/v1',
  'https://169.254.169.254/v1',
  'http://example.org/v1',
  'ftp://example.org',
  'https://a:b@example.org',
])('the mirror refuses to read %s', async (from) => {
  await expect(world.run({ from })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
});
