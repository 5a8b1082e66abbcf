// The requirements for a MongoDB: a replica set of version 7.0 or later, with an address by which a new primary is found.
import type { Connection } from 'mongoose';
import { optionsOf } from '../base/config/mongodb-uri.js';

/** A server's description of itself (MongoDB's `hello`). */
export interface Hello {
  setName?: string;
  hosts?: string[];
  maxWireVersion: number;
  localTime: Date;
  /** `isdbgrid`: a router of a sharded cluster. */
  msg?: string;
}

/** The store cannot be used as it is, and trying again will not help. The message is one sentence for the operator. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
}

/** MongoDB 7.0 speaks wire version 21. */
const MONGODB_7 = 21;

/** @throws StoreRefused for a server without transactions and change streams, one that is too old, and a direct connection to one of several members. */
export async function refuseUnfitServer(connection: Connection, uri: string): Promise<void> {
  const hello = (await connection.db?.command({ hello: 1 })) as unknown as Hello;
  const fault = serverFault(hello, uri);
  if (fault !== undefined) throw new StoreRefused(fault);
}

/** Why the gateway cannot run on this server; undefined if it can. */
export function serverFault({ setName, hosts = [], maxWireVersion, msg }: Hello, uri: string): string | undefined {
  if (setName === undefined && msg !== 'isdbgrid')
    return 'The MongoDB at MONGODB_URI is not a replica set, so it has no transactions and no change streams: start it with --replSet, one member is enough (docs/deployment.md).';
  if (maxWireVersion < MONGODB_7) return 'The MongoDB at MONGODB_URI is older than 7.0: upgrade it.';
  if (isDirect(uri) && hosts.length > 1)
    return `MONGODB_URI sets directConnection=true, but its server is one of ${hosts.length} members: after an election no write would reach the primary. Leave directConnection out and set replicaSet=${setName}.`;
  return undefined;
}

const isDirect = (uri: string): boolean =>
  optionsOf(uri).some(([name, value]) => name.toLowerCase() === 'directconnection' && value === 'true');
