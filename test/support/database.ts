// A new database in the run's store, for tests of one domain that need no gateway.
import { randomUUID } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import { migrate } from '../../src/store/connection.js';
import { databaseUri } from './gateway.js';

export interface TestDatabase {
  connection: Connection;
  /** Opens another connection to the same database, as another process would. */
  another(): Promise<Connection>;
  /** Every document of the database as one text, to check that something is not stored. */
  dump(): Promise<string>;
  close(): Promise<void>;
}

const OPTIONS = { serverApi: { version: '1', strict: true }, autoIndex: false, autoCreate: false } as const;

/** Opens a new database; `register` creates the models, whose indexes are then built. */
export async function openDatabase(register: (connection: Connection) => unknown): Promise<TestDatabase> {
  const uri = databaseUri(`test_${randomUUID().slice(0, 8)}`);
  const connections: Connection[] = [];
  const another = async (): Promise<Connection> => {
    const connection = await mongoose.createConnection(uri, OPTIONS).asPromise();
    connections.push(connection);
    return connection;
  };
  const connection = await another();
  register(connection);
  await migrate(connection);
  return {
    connection,
    another,
    dump: () => dumpOf(connection),
    close: async () => {
      await connection.dropDatabase();
      await Promise.all(connections.map((open) => open.close()));
    },
  };
}

/** Every document of a connection's database as one text. */
export async function dumpOf(connection: Connection): Promise<string> {
  const collections = await connection.listCollections();
  const texts = await Promise.all(
    collections.map(async ({ name }) => JSON.stringify(await connection.collection(name).find().toArray())),
  );
  return texts.join('\n');
}
