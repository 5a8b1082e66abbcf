// Resolving names that others register: a name whose servers do not respond delays no other name.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ResolveName, resolverOfNames } from '../../../src/http/outbound/resolve-name.js';

const [A, AAAA] = [1, 28];
const ADDRESSES: Readonly<Record<number, number[]>> = {
  [A]: [93, 184, 215, 14],
  [AAAA]: [0x26, 0x06, ...Array(13).fill(0), 1],
};

let server: Socket;
let resolve: ResolveName;
let asked: number;

beforeEach(async () => {
  asked = 0;
  server = createSocket('udp4', (question, { port, address }) => {
    asked += 1;
    const response = responseTo(question);
    if (response) server.send(response, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  resolve = resolverOfNames([`127.0.0.1:${server.address().port}`]);
});
afterEach(() => new Promise<void>((done) => server.close(done)));

/**
 * A name server (RFC 1035 §4.1) that knows every name. `missing` has no addresses, `four` has only IPv4, and there is
 * no response for `silent`.
 */
function responseTo(question: Buffer): Buffer | undefined {
  const length = question[12] ?? 0;
  const label = question.subarray(13, 13 + length).toString();
  const end = question.indexOf(0, 12) + 5;
  const type = question.readUInt16BE(end - 4);
  if (label.startsWith('silent')) return undefined;
  const isThere = label !== 'missing' && !(label === 'four' && type === AAAA);
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(label === 'missing' ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(isThere ? 1 : 0, 6);
  header.fill(0, 8);
  const data = ADDRESSES[type] ?? [];
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]);
  return Buffer.concat([header, question.subarray(12, end), ...(isThere ? [record] : [])]);
}

it('a name is resolved while a hundred others wait for servers that do not respond', async () => {
  let ended = 0;
  for (let at = 0; at < 100; at += 1)
    resolve(`silent-${at}.example`).catch(() => {
      ended += 1;
    });
  expect(await resolve('receiver.example')).toEqual(['93.184.215.14', '2606::1']);
  expect(ended).toBe(0);
});

it('a name may have addresses of one family only, and one without any is an error', async () => {
  expect(await resolve('four.example')).toEqual(['93.184.215.14']);
  await expect(resolve('missing.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

it('a name without a dot is resolved by this machine, and no server is asked', async () => {
  expect(await resolve('localhost')).toEqual(expect.arrayContaining(['127.0.0.1']));
  expect(asked).toBe(0);
});
