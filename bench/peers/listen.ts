// How every peer begins: the store's address as its argument, `-` for none, a free port, its own address printed as a line.
import type { FastifyInstance } from 'fastify';
import { type Db, MongoClient } from 'mongodb';

/** Connects to the store that is named on the command line, lets `register` set up the server, and serves. */
export async function serve(app: FastifyInstance, register: (app: FastifyInstance, db: Db) => Promise<void>) {
  const [, , uri = '-'] = process.argv;
  const client = new MongoClient(uri === '-' ? 'mongodb://127.0.0.1' : uri);
  if (uri !== '-') await client.connect();
  await register(app, client.db());
  console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
}
