// Where a peer's resolvers read from: the store, or the whole catalog in memory. One set of DataLoaders a request, either way.
import DataLoader from 'dataloader';
import { type Db, MongoClient } from 'mongodb';
import { readByIds, readCredentials, readPrograms } from './page-reads.js';
import { type Credential, type Issuer, type Program, type Rows, readRows, type Schema, type Verifier } from './rows.js';

/** The parent of a list of programs, and how many of them are asked for. */
export interface ProgramsKey {
  credentialId: string;
  first: number;
}

export interface PageLoaders {
  issuers: DataLoader<string, Issuer>;
  schemas: DataLoader<string, Schema>;
  verifiers: DataLoader<string, Verifier>;
  /** At least the first that are asked for; the resolver takes as many as it needs. */
  programs: DataLoader<ProgramsKey, Program[], string>;
}

export interface Source {
  /** The most popular credentials, at most `limit`. */
  credentials(limit: number): Promise<Credential[]>;
  loaders(): PageLoaders;
}

type ById<V> = (ids: readonly string[]) => Promise<Map<string, V>>;

function byId<V>(read: ById<V>): DataLoader<string, V> {
  return new DataLoader<string, V>(async (ids) => {
    const values = await read(ids);
    return ids.map((id) => values.get(id) ?? new Error(`there is no ${id}`));
  });
}

function programLoader(read: (ids: readonly string[], first: number) => Promise<Map<string, Program[]>>) {
  return new DataLoader<ProgramsKey, Program[], string>(
    async (keys) => {
      const ids = keys.map(({ credentialId }) => credentialId);
      const lists = await read(ids, Math.max(...keys.map(({ first }) => first)));
      return ids.map((id) => lists.get(id) ?? []);
    },
    { cacheKeyFn: ({ credentialId, first }) => `${first} ${credentialId}` },
  );
}

function inMemory(rows: Rows): Source {
  const of = <V>(values: Map<string, V>) => byId<V>(async () => values);
  return {
    credentials: async (limit) => rows.credentials.slice(0, limit),
    loaders: () => ({
      issuers: of(rows.issuers),
      schemas: of(rows.schemas),
      verifiers: of(rows.verifiers),
      programs: programLoader(async () => rows.programs),
    }),
  };
}

const renamed = <R extends { _id: string }, V>(rows: Map<string, R>, of: (row: R) => V): Map<string, V> =>
  new Map([...rows].map(([id, row]) => [id, of(row)]));

function inStore(db: Db): Source {
  const rows =
    <R extends { _id: string }, V>(collection: string, fields: string[], of: (row: R) => V): ById<V> =>
    async (ids) =>
      renamed(await readByIds<R>(db, collection, ids, fields), of);
  type Named = { _id: string; name: string };
  const issuers = rows(
    'issuers',
    ['name', 'issuerDid'],
    ({ _id, name, issuerDid }: Named & { issuerDid: string }): Issuer => ({ issuerId: _id, name, issuerDid }),
  );
  const schemas = rows(
    'schemas',
    ['title'],
    ({ _id, title }: { _id: string; title: string }): Schema => ({ schemaId: _id, title }),
  );
  const verifiers = rows('verifiers', ['name'], ({ _id, name }: Named): Verifier => ({ verifierId: _id, name }));
  const programs = async (ids: readonly string[], first: number) => {
    const lists = await readPrograms(db, ids, first);
    const shown = [...lists].map(([id, list]): [string, Program[]] => [
      id,
      list.map(({ _id, ...program }) => ({ programId: _id, ...program })),
    ]);
    return new Map(shown);
  };
  return {
    credentials: (limit) => readCredentials(db, limit),
    loaders: () => ({
      issuers: byId(issuers),
      schemas: byId(schemas),
      verifiers: byId(verifiers),
      programs: programLoader(programs),
    }),
  };
}

/** Connects to the store; `from` is `memory` (the catalog is read once) or `store`. */
export async function openSource(uri: string, from: string): Promise<Source> {
  const client = await MongoClient.connect(uri);
  return from === 'memory' ? inMemory(await readRows(client.db())) : inStore(client.db());
}
