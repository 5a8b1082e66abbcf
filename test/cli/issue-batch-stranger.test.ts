// `issue-batch` with a file of a stranger: each row ends with a result that a person can act on, whatever is in the others.
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { folder, gateway, issuances, results, run, text, useGateway, write } from './batch-runs.js';

useGateway();

const inexact = (literal: string): string[] =>
  refused(`"credentialSubject.serial" has the number ${literal}, which cannot be held exactly; write it as a text.`);
const OK = ['ISSUED', ''];
const refused = (message: string): string[] => ['REFUSED', message];

/** Rows as a spreadsheet with semicolons writes them: address, expiration, name, serial, since; then what becomes of them, and the corrected row. */
const ROWS: [row: string, result: string[], corrected?: string][] = [
  ['ada@example.org;2037-12-31;"""Ada""";"""A-1""";"""2024-02-29"""', OK],
  ['bob@example.org;;"""says \\""hi\\"", then; goes""";;', OK],
  ['cleo@example.org;;"""=1+1""";"""-2""";', OK],
  ['dan@example.org;;"=HYPERLINK(""http://x"")";;', OK],
  ['@SUM(A1:A9);;"""Eve""";;', ['FAILED', '"email" must be an e-mail address.'], 'eve@example.org;;"""Eve""";;'],
  ['fay@example.org;;"""Fay""";39e1804;', inexact('39e1804'), 'fay@example.org;;"""Fay""";"""39e1804""";'],
  ['gus@example.org;;"""Gus""";12E-402;', inexact('12E-402'), 'gus@example.org;;"""Gus""";"""12E-402""";'],
  [
    'hal@example.org;;"""Hal""";9007199254740993;',
    inexact('9007199254740993'),
    'hal@example.org;;"""Hal""";9007199254740992;',
  ],
  [
    'ida@example.org;;"""Ida""";"{""chip"":[12345678901234567890]}";',
    inexact('12345678901234567890'),
    'ida@example.org;;"""Ida""";"{""chip"":[""12345678901234567890""]}";',
  ],
  ['jon@example.org;;"""Jon""";"""39e1804""";', OK],
  [
    'kim@example.org;;"""Kim""";007;',
    refused('"credentialSubject.serial" must be JSON; texts need quotes of their own: "…".'),
    'kim@example.org;;"""Kim""";"""007""";',
  ],
  ['leo@example.org;2037-06-30T12:00Z;"""Leo""";;', OK],
  ['mia@example.org;2037-06-30T12:00+02:00;"""Mia""";;', OK],
  ['ned@example.org;30.06.2037;"""Ned""";;', OK],
  ['ren\u00e9@example.org;;"""Ren\u00e9""";;', OK],
  ['rene\u0301@example.org;;"""Ren\u00e9""";;', OK],
  ['pia@example.org;;Pia Meier;;', OK],
  [';;"""Nobody""";;', refused('The address is missing.'), 'quin@example.org;;"""Quin""";;'],
  ['rob@example.org;;"""Rob""";"[\r\n""a"",\r\n""b""]";', OK],
  [
    'sue@example.org;;"""Sue""";;"""2026-02-31"""',
    refused('"credentialSubject.since" is a day that does not exist.'),
    'sue@example.org;;"""Sue""";;"""2026-02-28"""',
  ],
];

describe('A file of a stranger, with 20 odd rows', () => {
  beforeAll(async () => {
    const point = (name: string, type: string, isRequired = false) => ({ name, type, isRequired, description: '' });
    const dataPoints = [point('name', 'string', true), point('serial', 'any'), point('since', 'date')];
    const put = (path: string, body: object) => gateway.admin('PUT', `/v1/admin/${path}`, { body });
    await put('schemas/register', { title: 'Register', description: '', dataPoints });
    const credential = { name: 'Register', category: 'Test', issuerId: 'again', schemaId: 'register' };
    expect((await put('credentials/register', credential)).status).toBe(200);
  });

  const file = (rows: readonly string[]): void => {
    const head = 'email;expiration;credentialSubject.name;credentialSubject.serial;credentialSubject.since';
    // A byte order mark, CRLF, a column and a row without cells.
    const lines = [head, ...rows.slice(0, 10), ';;;;', ...rows.slice(10)].map((line) => `${line};\r\n`);
    writeFileSync(join(folder, 'people.csv'), `\ufeff${lines.join('')}`);
  };
  const options = { credential: 'register', onDuplicate: 'ignore' };
  const outcomes = (): unknown[] => results().map(({ state, message }) => [state, message]);

  it('a file with 20 unusual rows ends with 20 results, and all are issued once the rows are corrected as these say', async () => {
    file(ROWS.map(([row]) => row));
    const said = await run(options);
    expect(said).toContain('row 11 is empty and skipped\ncolumn 6 is empty and skipped\n');
    const issued = ROWS.filter(([, result]) => result === OK).length;
    expect(said).toContain(`${issued} of 20 rows issued, ${20 - issued} not`);
    expect(outcomes()).toEqual(ROWS.map(([, result]) => result));
    expect(results().map(({ row }) => Number(row))).toEqual(
      [...Array(21).keys()].map((at) => at + 1).filter((at) => at !== 11),
    );
    // One person in two spellings has one credential.
    expect(await issuances()).toMatchObject({ all: issued - 1, revoked: 0 });

    file(ROWS.map(([row, , corrected]) => corrected ?? row));
    expect(await run({ ...options, retryFailed: true })).toContain('20 of 20 rows issued');
    expect(outcomes()).toEqual(ROWS.map(() => OK));
    expect(await issuances()).toMatchObject({ all: 19, revoked: 0 });
  });
});

describe('The result file', () => {
  it('the result file of an interrupted run has the ended rows, and the others after the run continues', async () => {
    const rows = Array.from({ length: 130 }, (_, index): [string, string] => [`p${index}-`, text('note')]);
    write(...rows, ['last', '"""\\ud800"""']);
    // Without the check of who has one already, which has results, too.
    const onDuplicate = 'ignore';
    await expect(run({ url: await cutAfterFirstResults(), onDuplicate })).rejects.toThrow(
      'cannot be reached; run the same command again to continue',
    );
    const states = results().map(({ state }) => state);
    const ended = states.lastIndexOf('ISSUED') + 1;
    expect(ended).toBeGreaterThan(0);
    expect(states).toEqual([...Array(ended).fill('ISSUED'), ...Array(130 - ended).fill('SENT'), 'REFUSED']);
    expect(await run({ onDuplicate })).toContain('130 of 131 rows issued');
    expect(results().map(({ state }) => state)).toEqual([...Array(130).fill('ISSUED'), 'REFUSED']);
  });
});

describe('A gateway that cannot serve for a while', () => {
  it('a run waits as long as the gateway asks, and issues each row once', async () => {
    const rows = Array.from({ length: 130 }, (_, index): [string, string] => [`w${index}-`, text('note')]);
    write(...rows);
    const before = await issuances();
    const asked: string[] = [];
    const overloaded = { error: 503, message: 'The gateway is overloaded; try again shortly.' };
    const away = { message: 'The store does not respond right now.', extensions: { retryAfter: 1 } };
    const url = await openProxy((body, response) => {
      asked.push(body);
      if (asked.length === 1)
        return response.writeHead(503, { 'retry-after': '1' }).end(JSON.stringify(overloaded)).headersSent;
      return asked.length === 3 && response.end(JSON.stringify({ errors: [away], data: null })).headersSent;
    });
    expect(await run({ url })).toContain('130 of 130 rows issued');
    expect(asked[1]).toBe(asked[0]);
    expect(asked[3]).toBe(asked[2]);
    expect((await issuances()).all).toBe(before.all + 130);
  });
});

/** A proxy that cuts off a client once it has results of a batch: it asks for those after them. */
const cutAfterFirstResults = (): Promise<string> =>
  openProxy((body, response) => /"after":"/.test(body) && response.destroy().destroyed);

/** A proxy of the gateway. @param intercept returns whether it has dealt with the response itself */
async function openProxy(intercept: (body: string, response: ServerResponse) => boolean): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    if (intercept(body, response)) return;
    const headers = request.headers as Record<string, string>;
    const answer = await fetch(gateway.url + request.url, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json', 'x-partner-auth': headers['x-partner-auth'] ?? '' },
      body,
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
