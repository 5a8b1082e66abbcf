// The wire protocol: handshakes, and malformed messages, each of which ends only its own connection.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';
import { documentOf, RawClient } from './raw-client.js';

/** Opens a plain connection, sends bytes, and resolves when the engine closes the connection. */
function closedAfter(uri: string, bytes: Buffer): Promise<boolean> {
  const { hostname, port } = new URL(uri.replace('mongodb:', 'http:'));
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.once('close', () => resolve(true));
    socket.on('error', () => undefined);
    socket.resume();
  });
}

function frame(opCode: number, body: Buffer, length = body.length + 16): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
}

const MALFORMED: [string, Buffer][] = [
  ['a length below the header', frame(2013, Buffer.alloc(20), 5)],
  ['a length above 48 MB', frame(2013, Buffer.alloc(20), 50_000_000)],
  ['an operation that does not exist', frame(1234, Buffer.alloc(20))],
  ['a section of an unknown kind', frame(2013, Buffer.from([0, 0, 0, 0, 9, 5, 0, 0, 0, 0]))],
  ['a document longer than its message', frame(2013, Buffer.from([0, 0, 0, 0, 0, 99, 0, 0, 0, 0]))],
  ['flags that must be understood', frame(2013, Buffer.from([4, 0, 0, 0, 0, 5, 0, 0, 0, 0]))],
];

describe('a malformed message', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  it.each(MALFORMED)('a malformed message with %s closes its connection and no other', async (_what, bytes) => {
    expect(await closedAfter(at.engine.uri, bytes)).toBe(true);
    expect((await at.db.command({ ping: 1 })).ok).toBe(1);
  });
});

const text = (bytes: number[]): Buffer =>
  documentOf([Buffer.from([2, 0x61, 0, bytes.length + 1, 0, 0, 0, ...bytes, 0])]);

const UNREADABLE: [string, Buffer, number][] = [
  ['an unknown type', Buffer.from([8, 0, 0, 0, 0x55, 0x61, 0, 0]), 22],
  ['a string that is not UTF-8', text([0xff, 0xfe]), 22],
  ['half of a surrogate pair', text([0xed, 0xa0, 0x80]), 22],
  ['one name twice', documentOf([Buffer.from('\x0aa\0\x0aa\0')]), 238],
  ['the type undefined', documentOf([Buffer.from('\x06a\0')]), 238],
];

describe('a document that cannot be read', () => {
  let at: TestEngine;
  let client: RawClient;
  beforeAll(async () => {
    at = await startTestEngine();
    client = new RawClient(at.engine.uri);
  });
  afterAll(async () => {
    client.close();
    await at.close();
  });

  it.each(UNREADABLE)(
    'an unreadable document with %s gets an error, and the connection stays open',
    async (_what, bytes, code) => {
      const { reply } = await client.command({ insert: 'c' }, { name: 'documents', documents: [bytes] });
      expect(reply).toMatchObject({ ok: 0, code, errmsg: expect.any(String) });
      expect((await client.command(bytes)).reply).toMatchObject({ ok: 0, code });
      expect((await client.command({ ping: 1 })).reply).toMatchObject({ ok: 1 });
    },
  );
});

describe('the handshake', () => {
  it('the handshake is that of a replica set of one at the address of the connection', async () => {
    const at = await startTestEngine();
    try {
      const hello = await at.db.admin().command({ hello: 1 });
      const address = new URL(at.engine.uri.replace('mongodb:', 'http:')).host;
      expect(hello).toMatchObject({ isWritablePrimary: true, me: address, hosts: [address], maxWireVersion: 21 });
      expect(hello).toMatchObject({ setName: 'rs0', logicalSessionTimeoutMinutes: 30 });
    } finally {
      await at.close();
    }
  });

  it('the handshake accepts as much client metadata as MongoDB', async () => {
    const at = await startTestEngine();
    try {
      const hello = (name: string, driver: string) =>
        at.db.admin().command({ hello: 1, client: { application: { name }, driver: { name: driver } } });
      await expect(hello('a', 'd'.repeat(500))).rejects.toMatchObject({ code: 185 });
      await expect(hello('a'.repeat(129), 'd')).rejects.toMatchObject({ code: 184 });
      expect(await hello('a'.repeat(128), 'd'.repeat(200))).toMatchObject({ ok: 1 });
    } finally {
      await at.close();
    }
  });

  it('the handshake fails by a failCommand for its application name', async () => {
    const at = await startTestEngine();
    try {
      const data = { failCommands: ['hello'], appName: 'hit', closeConnection: true };
      await at.db.admin().command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
      await expect(at.connect({ appName: 'hit', serverSelectionTimeoutMS: 500 })).rejects.toThrow();
      const other = await at.connect({ appName: 'missed' });
      expect(await other.db('test').command({ ping: 1 })).toMatchObject({ ok: 1 });
      await at.db.admin().command({ configureFailPoint: 'failCommand', mode: 'off' });
    } finally {
      await at.close();
    }
  });
});
