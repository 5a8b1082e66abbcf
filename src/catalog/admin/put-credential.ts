// How an operator writes credentials: each needs a live issuer and a live schema, whose current version it uses.
import { badInput, DomainError } from '../../base/errors.js';
import { MAX_POINTS } from '../../zk/index.js';
import type { Counts, CredentialRow, IssuerRow, SchemaRow } from '../models.js';
import { countList, sumOf, tractionOf } from '../traction.js';
import type { CredentialBody } from './bodies.js';
import { type Break, breaksOf, demandsOn, type Move, pointsOf, shownBreak } from './breaks.js';
import type { Effects } from './effects.js';
import { baseRow, kindWriter, type RowChange, rowsById, type WriteScope } from './kind.js';

interface References {
  issuers: ReadonlyMap<string, IssuerRow>;
  schemas: ReadonlyMap<string, Pick<SchemaRow, '_id' | 'live' | 'version' | 'dataPoints'>>;
  /** The first condition that a body breaks. */
  breaks: ReadonlyMap<CredentialBody, Break>;
}

type Item = { id: string; body: CredentialBody };

const dateOrNull = (time: string | null) => (time === null ? null : new Date(time));

export const credentialWriter = kindWriter<'credentials', CredentialRow, References>({
  kind: 'credentials',
  noun: 'credential',
  model: (models) => models.credentials,
  async load(scope, items, before) {
    const { models, session } = scope;
    const rows = [...before.values()];
    const issuerIds = [...items.map(({ body }) => body.issuerId), ...rows.map(({ issuerId }) => issuerId)];
    const schemaIds = [...new Set(items.map(({ body }) => body.schemaId))];
    const fields = { live: 1, version: 1, dataPoints: 1 } as const;
    const schemaRows = await models.schemas.find({ _id: { $in: schemaIds } }, fields, { session }).lean();
    const schemas = new Map(schemaRows.map((row) => [row._id, row]));
    const issuers = await rowsById(models.issuers, issuerIds, session);
    return { issuers, schemas, breaks: await breaksOfMoves(scope, items, before, schemas) };
  },
  build({ id, body }, before, { issuers, schemas, breaks }, scope) {
    const schema = schemas.get(body.schemaId);
    if (!issuers.get(body.issuerId)?.live) throw badInput(`"issuerId" names no issuer: ${body.issuerId}.`, 'issuerId');
    if (!schema?.live) throw badInput(`"schemaId" names no schema: ${body.schemaId}.`, 'schemaId');
    if (body.provable && schema.dataPoints.length > MAX_POINTS)
      throw badInput(`"provable" needs a schema of at most ${MAX_POINTS} data points.`, 'provable');
    const broken = breaks.get(body);
    if (broken && !body.force) throw breaking(broken);
    const keepsVersion = keepsVersionOf(before, body);
    const { createdAt, traction: imported, force: _force, ...fields } = body;
    const traction = tractionOf(before?.traction, imported);
    return {
      ...baseRow(id, body.name, before, createdAt, scope.now),
      popularity: sumOf(traction).holderCount,
      ...fields,
      accessibleStart: dateOrNull(body.accessibleStart),
      accessibleEnd: dateOrNull(body.accessibleEnd),
      schemaVersion: keepsVersion ? (before?.schemaVersion ?? schema.version) : schema.version,
      firstIssuedAt: before?.firstIssuedAt ?? null,
      lastIssuedAt: before?.lastIssuedAt ?? null,
      traction,
      demandCount: before?.demandCount ?? 0,
    };
  },
  content: (row) => [
    [row.name, row.category, row.issuerId, row.schemaId, row.schemaVersion, row.accessibleStart, row.accessibleEnd],
    [row.expirationDuration, row.maximumIssuance, row.createdAt, row.provable ?? null],
    countList(row.traction.base),
    // Nothing where there is none, so that credentials without keep their etag.
    ...(row.cak ? ['cak'] : []),
  ],
  effects(change, effects, loaded) {
    const { before, after } = change;
    if (before?.live) countCredential(before, effects, -1);
    if (after.live) countCredential(after, effects, 1);
    if (before !== undefined && before.live !== after.live) effects.acceptance(after._id, after.live ? 1 : -1);
    if (loaded !== undefined) moveBase(change, effects, loaded);
  },
  record: (row) => ({
    credentialId: row._id,
    name: row.name,
    category: row.category,
    issuerId: row.issuerId,
    schemaId: row.schemaId,
    schemaVersion: row.schemaVersion,
    accessibleStart: row.accessibleStart,
    accessibleEnd: row.accessibleEnd,
    expirationDuration: row.expirationDuration,
    maximumIssuance: row.maximumIssuance,
    provable: row.provable ?? null,
    cak: row.cak ?? false,
    firstIssuedAt: row.firstIssuedAt,
    lastIssuedAt: row.lastIssuedAt,
    traction: { ...sumOf(row.traction), demandCount: row.demandCount },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    etag: row.etag,
  }),
});

const keepsVersionOf = (before: CredentialRow | undefined, { schemaId }: CredentialBody): boolean =>
  before?.live === true && before.schemaId === schemaId;

/** The first break of each body that puts a credential onto other content: another schema, or a retired one's next version. */
async function breaksOfMoves(
  { models, session, now }: WriteScope,
  items: readonly Item[],
  before: ReadonlyMap<string, CredentialRow>,
  schemas: References['schemas'],
): Promise<Map<CredentialBody, Break>> {
  const moving = items.flatMap((item) => {
    const row = before.get(item.id);
    const schema = schemas.get(item.body.schemaId);
    return row && schema && !keepsVersionOf(row, item.body) ? [{ ...item, row, schema }] : [];
  });
  const breaks = new Map<CredentialBody, Break>();
  if (moving.length === 0) return breaks;
  const rows = moving.map(({ row }) => row);
  const points = await pointsOf(models, rows, session);
  const ids = rows.map(({ _id }) => _id);
  for await (const demand of demandsOn(models, ids, session))
    for (const { id, body, schema } of moving) {
      if (id !== demand.credentialId || breaks.has(body)) continue;
      const move: Move = { credentialId: id, from: points.get(id) ?? [], to: schema.dataPoints };
      const [first] = breaksOf(demand, move, now.getTime());
      if (first) breaks.set(body, first);
    }
  return breaks;
}

const breaking = (broken: Break): DomainError =>
  new DomainError(
    'CONFLICT',
    `"schemaId" breaks ${shownBreak(broken)}; with "force": true it is written all the same.`,
    { field: 'schemaId' },
  );

function countCredential({ issuerId, schemaId }: CredentialRow, effects: Effects, by: number): void {
  effects.count('issuers', issuerId, { credentialCount: by });
  effects.count('schemas', schemaId, { credentialCount: by, popularity: by });
  effects.edge(schemaId, issuerId, by);
}

/** An issuer's base is the sum of its credentials' bases, unless an import set one. */
function moveBase({ before, after }: RowChange<CredentialRow>, effects: Effects, { issuers }: References): void {
  const add = (issuerId: string, { holderCount, issuanceCount, verificationCount }: Counts, by: number) => {
    if (issuers.get(issuerId)?.importedTraction !== null) return;
    effects.count('issuers', issuerId, {
      'traction.base.holderCount': by * holderCount,
      'traction.base.issuanceCount': by * issuanceCount,
      'traction.base.verificationCount': by * verificationCount,
      popularity: by * holderCount,
    });
  };
  if (before !== undefined) add(before.issuerId, before.traction.base, -1);
  add(after.issuerId, after.traction.base, 1);
}
