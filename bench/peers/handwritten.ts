// The floor of answers that come from the store: Fastify and the bare driver, one command for each relation, written for this page alone.
import Fastify from 'fastify';
import type { Db } from 'mongodb';
import { serve } from './listen.js';
import { credentialOf } from './rows.js';

interface Body {
  variables: { first: number };
}
interface ProgramRow {
  _id: string;
  name: string;
  pricingModel: string;
  verifierId: string;
}
interface NamedRow {
  _id: string;
  name: string;
}

const POPULAR = { popularity: -1, _id: -1 } as const;
const PROGRAMS = 2;

function rowsOf<R extends { _id: string }>(db: Db, name: string, ids: readonly string[], fields: readonly string[]) {
  const distinct = [...new Set(ids)];
  return db
    .collection<R>(name)
    .find({ _id: { $in: distinct }, live: true } as never)
    .project<R>(Object.fromEntries(fields.map((field) => [field, 1])))
    .batchSize(distinct.length + 1)
    .toArray()
    .then((rows) => new Map(rows.map((row) => [row._id, row])));
}

async function programsOf(db: Db, ids: readonly string[]): Promise<Map<string, ProgramRow[]>> {
  const lookup = {
    from: 'programs',
    localField: '_id',
    foreignField: 'acceptedCredentials.credentialId',
    pipeline: [
      { $match: { live: true } },
      { $sort: POPULAR },
      { $limit: PROGRAMS + 1 },
      { $project: { name: 1, pricingModel: 1, verifierId: 1 } },
    ],
    as: 'rows',
  };
  const found = await db
    .collection('credentials')
    .aggregate([{ $match: { _id: { $in: ids } } }, { $project: { _id: 1 } }, { $lookup: lookup }] as object[], {
      batchSize: ids.length + 1,
    })
    .toArray();
  return new Map(found.map(({ _id, rows }) => [String(_id), (rows as ProgramRow[]).slice(0, PROGRAMS)]));
}

async function page(db: Db, first: number): Promise<object> {
  const fields = { name: 1, category: 1, issuerId: 1, schemaId: 1, traction: 1, demandCount: 1 };
  const found = await db
    .collection('credentials')
    .find({ live: true })
    .project(fields)
    .sort(POPULAR)
    .limit(first + 1)
    .batchSize(first + 1)
    .toArray();
  const credentials = found.slice(0, first).map((row) => credentialOf(row as never));
  const [issuers, schemas, { programs, verifiers }] = await Promise.all([
    rowsOf<NamedRow & { issuerDid: string }>(
      db,
      'issuers',
      credentials.map(({ issuerId }) => issuerId),
      ['name', 'issuerDid'],
    ),
    rowsOf<{ _id: string; title: string }>(
      db,
      'schemas',
      credentials.map(({ schemaId }) => schemaId),
      ['title'],
    ),
    programsWithVerifiers(
      db,
      credentials.map(({ credentialId }) => credentialId),
    ),
  ]);
  const programNode = ({ _id, name, pricingModel, verifierId }: ProgramRow) => ({
    programId: _id,
    name,
    pricingModel,
    verifier: { verifierId, name: verifiers.get(verifierId)?.name },
  });
  const nodes = credentials.map(({ credentialId, name, category, issuerId, schemaId, traction }) => ({
    credentialId,
    name,
    category,
    issuer: { issuerId, name: issuers.get(issuerId)?.name, issuerDid: issuers.get(issuerId)?.issuerDid },
    schema: { schemaId, title: schemas.get(schemaId)?.title },
    traction,
    programs: { nodes: (programs.get(credentialId) ?? []).map(programNode) },
  }));
  return { data: { credentials: { nodes, pageInfo: { hasNextPage: found.length > first } } } };
}

async function programsWithVerifiers(db: Db, ids: readonly string[]) {
  const programs = await programsOf(db, ids);
  const verifierIds = [...programs.values()].flat().map(({ verifierId }) => verifierId);
  return { programs, verifiers: await rowsOf<NamedRow>(db, 'verifiers', verifierIds, ['name']) };
}

await serve(Fastify(), async (app, db) => {
  app.post<{ Body: Body }>('/page', async ({ body }, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(await page(db, body.variables.first))),
  );
});
