// What doctor says of a MongoDB server, from the replies that servers give (`hello`, `connectionStatus`).
import { describe, expect, it } from 'vitest';
import { memberFinding, oplogFinding, privilegeFinding } from '../../src/cli/doctor-server.js';

const HOUR_MS = 3_600_000;
const hello = { setName: 'rs0', maxWireVersion: 21, localTime: new Date() };
const three = ['db1:27017', 'db2:27017', 'db3:27017'];

describe('The members of a replica set', () => {
  it('doctor compares the members of a replica set with the majority', () => {
    expect(memberFinding({ ...hello, hosts: three }, '8.0.4')).toMatchObject({
      state: 'ok',
      says: 'MongoDB 8.0.4 responds, replica set rs0, majority writes need 2 of 3 members',
    });
    expect(memberFinding({ ...hello, hosts: ['db1'] }, '7.0.2')).toMatchObject({ state: 'ok' });
  });

  it('doctor warns if writes stop when the first member of the replica set fails', () => {
    const two = memberFinding({ ...hello, hosts: three.slice(0, 2) }, '8.0.4');
    expect(two).toMatchObject({ state: 'warn', says: expect.stringContaining('2 members: no write is acknowledged') });
    const withArbiter = memberFinding({ ...hello, hosts: three.slice(0, 2), arbiters: ['db3'] }, '8.0.4');
    expect(withArbiter).toMatchObject({
      state: 'warn',
      says: expect.stringContaining('an arbiter: no write is acknowledged'),
    });
  });

  it('doctor warns about members behind mongos', () => {
    expect(memberFinding({ maxWireVersion: 21, localTime: new Date(), msg: 'isdbgrid' }, '8.0.4').state).toBe('warn');
  });
});

describe('The oplog', () => {
  it('doctor compares the oplog with the retention of events', () => {
    expect(oplogFinding(48 * HOUR_MS, 24 * HOUR_MS)).toMatchObject({ state: 'ok', says: 'it reaches back 48 h' });
    expect(oplogFinding(3 * HOUR_MS, 24 * HOUR_MS)).toMatchObject({
      state: 'warn',
      mend: expect.stringContaining('reaches back 24 h'),
    });
  });

  it('doctor reports no fault if the oplog may not be read', () => {
    expect(oplogFinding(undefined, 24 * HOUR_MS).state).toBe('ok');
  });
});

describe('The privileges of the user', () => {
  const readWrite = [
    'changeStream',
    'collStats',
    'createCollection',
    'createIndex',
    'dropIndex',
    'find',
    'insert',
  ].concat(['killCursors', 'listCollections', 'listIndexes', 'remove', 'update']);
  const authOf = (resource: object, actions: string[]) => ({
    authenticatedUsers: [{ user: 'gateway', db: 'admin' }],
    authenticatedUserPrivileges: [{ resource, actions }],
  });

  it('doctor accepts readWrite on the one database, anyAction on any resource, and on all databases', () => {
    for (const auth of [
      authOf({ db: 'network', collection: '' }, readWrite),
      authOf({ db: '', collection: '' }, readWrite),
      authOf({ anyResource: true }, ['anyAction']),
    ])
      expect(privilegeFinding(auth, 'network').state).toBe('ok');
  });

  it('doctor names missing privileges, with the command that grants them', () => {
    const reader = authOf({ db: 'network', collection: '' }, [
      'find',
      'changeStream',
      'listCollections',
      'listIndexes',
    ]);
    expect(privilegeFinding(reader, 'network')).toEqual({
      part: 'privileges',
      state: 'bad',
      says: 'The user lacks insert, update, remove, createCollection, createIndex, dropIndex in the database network.',
      mend: "db.grantRolesToUser(…, [{ role: 'readWrite', db: 'network' }])",
    });
    expect(privilegeFinding(authOf({ db: 'other', collection: '' }, readWrite), 'network').state).toBe('bad');
    expect(privilegeFinding(authOf({ db: 'network', collection: 'events' }, readWrite), 'network').state).toBe('bad');
  });

  it('doctor warns if there is no access control', () => {
    expect(privilegeFinding({ authenticatedUsers: [] }, 'network').state).toBe('warn');
  });
});
