// The floor of answers that come from the store: Fastify and the bare driver, one command for each relation, written for this page alone.
import Fastify from 'fastify';
import type { Db } from 'mongodb';
import { serve } from './listen.js';
import { type ProgramRow, readByIds, readCredentials, readPrograms } from './page-reads.js';

interface Body {
  variables: { first: number };
}
interface NamedRow {
  _id: string;
  name: string;
}

const PROGRAMS = 2;

async function page(db: Db, first: number): Promise<object> {
  const read = await readCredentials(db, first + 1);
  const credentials = read.slice(0, first);
  const [issuers, schemas, { programs, verifiers }] = await Promise.all([
    readByIds<NamedRow & { issuerDid: string }>(
      db,
      'issuers',
      credentials.map(({ issuerId }) => issuerId),
      ['name', 'issuerDid'],
    ),
    readByIds<{ _id: string; title: string }>(
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
    programs: { nodes: (programs.get(credentialId) ?? []).slice(0, PROGRAMS).map(programNode) },
  }));
  return { data: { credentials: { nodes, pageInfo: { hasNextPage: read.length > first } } } };
}

async function programsWithVerifiers(db: Db, ids: readonly string[]) {
  const programs = await readPrograms(db, ids, PROGRAMS + 1);
  const verifierIds = [...programs.values()].flat().map(({ verifierId }) => verifierId);
  return { programs, verifiers: await readByIds<NamedRow>(db, 'verifiers', verifierIds, ['name']) };
}

await serve(Fastify(), async (app, db) => {
  app.post<{ Body: Body }>('/page', async ({ body }, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(await page(db, body.variables.first))),
  );
});
