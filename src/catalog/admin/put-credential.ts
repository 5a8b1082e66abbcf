// How an operator writes credentials: each needs a live issuer and a live schema, whose current version it uses.
import { badInput, DomainError } from '../../base/errors.js';
import { MAX_POINTS } from '../../zk/index.js';
import type { Counts, CredentialRow, DataPoint, SchemaRow } from '../rows/models.js';
import { countList, sumOf, tractionOf } from '../traction/traction.js';
import type { CredentialBody } from './bodies.js';
import { derivedClaims } from './conditions.js';
import { isMoved, keepsVersionOf, refusedMoves } from './credential-moves.js';
import type { Effects } from './effects.js';
import { newRow, rowsById } from './entry-rows.js';
import { type Referred, readReferred } from './held-references.js';
import { type EntryBody, kindWriter, type RowChange, type WriteScope } from './kind.js';

interface CredentialReferences extends Referred {
  /** The schemas of bodies that depend on data points. */
  contents: ReadonlyMap<string, Pick<SchemaRow, 'dataPoints'>>;
  /** Data points of the schema versions that credentials with derived claims keep, by credential. */
  kept: ReadonlyMap<string, readonly DataPoint[]>;
  /** The errors of bodies that are refused unless they have `force`. */
  refused: ReadonlyMap<CredentialBody, DomainError>;
}

/** Whether a body is checked against the data points of its schema, which most imported ones are not. */
const needsContent = ({ provable, derived }: CredentialBody): boolean => provable === true || derived.length > 0;

/** Whether a body leaves the credential with its issuer, which is live: it cannot be retired before the credential. */
const keepsIssuer = (before: CredentialRow | undefined, { issuerId }: CredentialBody): boolean =>
  before?.live === true && before.issuerId === issuerId;

/**
 * The issuers and schemas that items need: none for one credential that keeps its own, and its imported counts. Several
 * items may move the same credential, so all of theirs are read.
 */
function referencesToRead(
  items: readonly EntryBody<CredentialBody>[],
  before: ReadonlyMap<string, CredentialRow>,
): { issuerIds: string[]; schemaIds: string[] } {
  const isOne = items.length === 1;
  const rows = [...before.values()];
  const isKept = ({ id, body }: EntryBody<CredentialBody>): boolean =>
    isOne && keepsIssuer(before.get(id), body) && body.traction === undefined;
  const moved = items.filter((item) => !isKept(item));
  const former = moved.length > 0 ? rows.map(({ issuerId }) => issuerId) : [];
  return {
    issuerIds: [...moved.map(({ body }) => body.issuerId), ...former],
    schemaIds: items.flatMap(({ id, body }) => (isOne && keepsVersionOf(before.get(id), body) ? [] : [body.schemaId])),
  };
}

const dateOrNull = (time: string | null) => (time === null ? null : new Date(time));

export const credentialWriter = kindWriter<'credentials', CredentialRow, CredentialReferences>({
  kind: 'credentials',
  noun: 'credential',
  model: (models) => models.credentials,
  async load(scope, items, before) {
    const { models, session } = scope;
    const rows = [...before.values()];
    const { issuerIds, schemaIds } = referencesToRead(items, before);
    const contentIds = items.flatMap(({ body }) => (needsContent(body) ? [body.schemaId] : []));
    const contents = await rowsById(models.schemas, contentIds, session, ['dataPoints']);
    const wanted = { issuerIds, schemaIds };
    const { issuers, schemas } = await (scope.held?.load(models, wanted, session) ??
      readReferred(models, wanted, session));
    const derivedIds = new Set(items.filter(({ body }) => body.derived.length > 0).map(({ id }) => id));
    const kept = await keptPoints(
      scope,
      rows.filter(({ _id }) => derivedIds.has(_id)),
    );
    return { issuers, schemas, contents, kept, refused: await refusedMoves(scope, items, before, schemas) };
  },
  references: ({ issuerId, schemaId }) => [
    { kind: 'issuers', id: issuerId, field: 'issuerId' },
    { kind: 'schemas', id: schemaId, field: 'schemaId' },
  ],
  build({ id, body }, before, { issuers, schemas, contents, kept, refused }, scope) {
    const isIssued = keepsIssuer(before, body) || issuers.get(body.issuerId)?.live;
    if (!isIssued) throw badInput(`"issuerId" names no issuer: ${body.issuerId}.`, 'issuerId');
    const keepsVersion = keepsVersionOf(before, body);
    const schema = schemas.get(body.schemaId);
    const schemaVersion = keepsVersion ? before?.schemaVersion : schema?.live ? schema.version : undefined;
    if (schemaVersion === undefined) throw badInput(`"schemaId" names no schema: ${body.schemaId}.`, 'schemaId');
    const dataPoints = contents.get(body.schemaId)?.dataPoints ?? [];
    if (body.provable && dataPoints.length > MAX_POINTS)
      throw badInput(`"provable" needs a schema of at most ${MAX_POINTS} data points.`, 'provable');
    const refusal = refused.get(body);
    if (refusal && !body.force) throw refusal;
    const vct = body.vct ?? undefined;
    const derived = derivedClaims(body.derived, (keepsVersion ? kept.get(id) : undefined) ?? dataPoints);
    if (before?.offered) requireOffered(before, { vct, derived });
    const traction = tractionOf(before?.traction, body.traction);
    // Each member by name: what is left of an object is copied slowly, and an import makes a million rows.
    const own = {
      popularity: sumOf(traction).holderCount,
      name: body.name,
      category: body.category,
      issuerId: body.issuerId,
      schemaId: body.schemaId,
      accessibleStart: dateOrNull(body.accessibleStart),
      accessibleEnd: dateOrNull(body.accessibleEnd),
      expirationDuration: body.expirationDuration,
      maximumIssuance: body.maximumIssuance,
      provable: body.provable,
      cak: body.cak,
      schemaVersion,
      firstIssuedAt: before?.firstIssuedAt ?? null,
      lastIssuedAt: before?.lastIssuedAt ?? null,
      traction,
      demandCount: before?.demandCount ?? 0,
      ...(vct === undefined ? {} : { vct }),
      ...(derived.length === 0 ? {} : { derived }),
      ...(before?.offered ? { offered: true as const } : {}),
    };
    return newRow({ id, name: body.name, before, createdAt: body.createdAt, now: scope.now }, own);
  },
  content: (row) => [
    [row.name, row.category, row.issuerId, row.schemaId, row.schemaVersion, row.accessibleStart, row.accessibleEnd],
    [row.expirationDuration, row.maximumIssuance, row.createdAt, row.provable ?? null],
    countList(row.traction.base),
    // Omitted if false, so that credentials without a CAK keep their etag.
    ...(row.cak ? ['cak'] : []),
    ...(row.vct === undefined ? [] : [{ vct: row.vct }]),
    ...(row.derived ? [{ derived: row.derived.map(({ name, condition }) => [name, condition]) }] : []),
  ],
  effects(change, effects, loaded) {
    const { before, after } = change;
    if (before?.live) countCredential(before, effects, -1);
    if (after.live) countCredential(after, effects, 1);
    if (before !== undefined && before.live !== after.live) effects.acceptance(after._id, after.live ? 1 : -1);
    if (before && isMoved(before, after)) effects.move(after._id);
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
    vct: row.vct ?? null,
    derived: (row.derived ?? []).map(({ name, condition }) => ({ name, condition })),
    firstIssuedAt: row.firstIssuedAt,
    lastIssuedAt: row.lastIssuedAt,
    traction: { ...sumOf(row.traction), demandCount: row.demandCount },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    etag: row.etag,
  }),
});

/**
 * What wallets have been offered stays: the type, and what each derived claim means, because their credentials have it as it was.
 * @throws DomainError CONFLICT
 */
function requireOffered(before: CredentialRow, after: Pick<CredentialRow, 'vct' | 'derived'>): void {
  const fixed = (what: string, field: string): DomainError =>
    new DomainError('CONFLICT', `The credential was offered to wallets: ${what} fixed.`, { field });
  if (before.vct !== after.vct) throw fixed('its "vct" is', 'vct');
  const changed = before.derived?.find(
    ({ name, condition }) => !after.derived?.some((claim) => claim.name === name && claim.condition === condition),
  );
  if (changed) throw fixed(`its derived claim "${changed.name}" is`, 'derived');
}

async function keptPoints(
  { models, session }: WriteScope,
  rows: readonly CredentialRow[],
): Promise<Map<string, DataPoint[]>> {
  if (rows.length === 0) return new Map();
  const idOf = ({ schemaId, schemaVersion }: CredentialRow): string => `${schemaId}@${schemaVersion}`;
  const versions = await rowsById(models.schemaVersions, rows.map(idOf), session);
  return new Map(rows.map((row) => [row._id, versions.get(idOf(row))?.dataPoints ?? []]));
}

function countCredential({ issuerId, schemaId }: CredentialRow, effects: Effects, by: number): void {
  effects.count('issuers', issuerId, { credentialCount: by });
  effects.count('schemas', schemaId, { credentialCount: by, popularity: by });
  effects.edge(schemaId, issuerId, by);
}

/** An issuer's base is the sum of its credentials' bases, unless an import set one. */
function moveBase(
  { before, after }: RowChange<CredentialRow>,
  effects: Effects,
  { issuers }: CredentialReferences,
): void {
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
