// How an operator writes issuers: a DID belongs to one issuer, and an issuer with live credentials cannot be retired.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { badInput, DomainError } from '../../base/errors.js';
import { checkOutboundUrl, OutboundRefused } from '../../http/outbound/outbound-address.js';
import type { IssuerRow } from '../rows/models.js';
import { countList, sumOf, tractionOf } from '../traction/traction.js';
import type { IssuerBody } from './bodies.js';
import { guard } from './counter-journal.js';
import { ENDPOINTS, GUARDED_MEMBERS, hasNewOrigin, walletsList } from './issuer-members.js';
import { type CheckedKeys, checkedKeys, countingKeys, zkKeysOf } from './issuer-zk-keys.js';
import { newRow } from './entry-rows.js';
import { kindWriter, type WriteScope } from './kind.js';

/** The owner of each DID. It is updated inside a batch, so that no two of its lines can have the same DID. */
type DidOwners = Map<string, string>;

interface LoadedIssuers {
  owners: DidOwners;
  /** DIDs of the managed issuers among the items, by issuer id. */
  managedDids: Map<string, string>;
  zkKeys: CheckedKeys;
}

export const issuerWriter = kindWriter<'issuers', IssuerRow, LoadedIssuers>({
  kind: 'issuers',
  noun: 'issuer',
  model: (models) => models.issuers,
  async load(scope, items, before) {
    const managedDids = await managedDidsOf(scope, items, before);
    const dids = items.flatMap(({ id, body }) => body.issuerDid ?? managedDids.get(id) ?? []);
    const rows = await scope.models.issuers
      .find({ issuerDid: { $in: dids } }, { issuerDid: 1 }, { session: scope.session })
      .lean();
    const owners = new Map(rows.map((row) => [row.issuerDid, row._id]));
    return { owners, managedDids, zkKeys: await checkedKeys(scope, items, before) };
  },
  guarded: GUARDED_MEMBERS,
  build({ id, body }, before, { owners, managedDids, zkKeys }, scope) {
    const issuerDid = body.issuerDid ?? managedDids.get(id) ?? '';
    claimDid(owners, 'issuer', 'issuerDid', issuerDid, { id, before: before?.issuerDid });
    checkEndpoints(body, scope);
    const { name, managed, issuerFrom, createdAt } = body;
    const traction = tractionOf(before?.traction, body.traction);
    const own = {
      popularity: sumOf(traction).holderCount,
      name,
      issuerDid,
      issuerFrom,
      managed,
      traction,
      importedTraction: body.traction ?? before?.importedTraction ?? null,
      credentialCount: before?.credentialCount ?? 0,
      ...(body.availableVcUrl === null ? {} : { availableVcUrl: body.availableVcUrl }),
      ...(body.issueVcUrl === null ? {} : { issueVcUrl: body.issueVcUrl }),
      ...(body.subjectUrl === null ? {} : { subjectUrl: body.subjectUrl }),
      ...(body.credentialUrl === null ? {} : { credentialUrl: body.credentialUrl }),
      ...(body.anchors.length === 0 ? {} : { anchors: body.anchors }),
      ...(body.walletIssuer === null ? {} : { walletIssuer: body.walletIssuer }),
      ...apiKeyOf(id, body, before, scope),
      ...zkKeysOf({ id, body }, before, zkKeys, scope.now),
      ...(body.wallets === null ? {} : { wallets: body.wallets }),
    };
    return newRow({ id, name, before, createdAt, now: scope.now }, own);
  },
  content: (row) => [
    [
      row.name,
      row.issuerDid,
      row.managed,
      row.issuerFrom,
      row.availableVcUrl,
      row.issueVcUrl,
      row.apiKeyHash,
      row.createdAt,
    ],
    row.importedTraction && countList(row.importedTraction),
    // Omitted if there are no keys, so that issuers without keys keep their etag.
    ...countingKeys(row).map(({ kid, publicKeyMultibase }) => [kid, publicKeyMultibase]),
    // The same for those whose credentials wallets do not present.
    ...(row.anchors === undefined ? [] : [{ anchors: row.anchors }]),
    ...(row.walletIssuer === undefined ? [] : [{ walletIssuer: row.walletIssuer }]),
    ...(row.wallets ? [{ wallets: walletsList(row.wallets) }] : []),
    ...(row.subjectUrl === undefined ? [] : [{ subjectUrl: row.subjectUrl }]),
    ...(row.credentialUrl === undefined ? [] : [{ credentialUrl: row.credentialUrl }]),
  ],
  mayRetire: ({ _id }, scope) => requireUnused(scope, `issuer ${_id}`, { issuerId: _id }),
  effects({ before, after }, effects) {
    if (before && (before.live !== after.live || !isDeepStrictEqual(before.importedTraction, after.importedTraction)))
      effects.revise('issuers');
  },
  record: (row) => ({
    issuerId: row._id,
    name: row.name,
    issuerDid: row.issuerDid,
    managed: row.managed,
    issuerFrom: row.issuerFrom,
    availableVcUrl: row.availableVcUrl ?? null,
    issueVcUrl: row.issueVcUrl ?? null,
    subjectUrl: row.subjectUrl ?? null,
    credentialUrl: row.credentialUrl ?? null,
    ...(row.managed ? {} : { zkKeys: countingKeys(row) }),
    anchors: row.anchors ?? [],
    walletIssuer: row.walletIssuer ?? null,
    wallets: row.wallets ?? null,
    traction: sumOf(row.traction),
    credentialCount: row.credentialCount,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    etag: row.etag,
  }),
});

/** A managed issuer keeps its DID for good. For a new one, the DID comes from its key, which is created in this transaction. */
async function managedDidsOf(
  { issuerKeys, session }: WriteScope,
  items: readonly { id: string; body: IssuerBody }[],
  before: ReadonlyMap<string, IssuerRow>,
): Promise<Map<string, string>> {
  const dids = new Map<string, string>();
  for (const { id, body } of items) {
    if (!body.managed) continue;
    const row = before.get(id);
    dids.set(id, row?.managed ? row.issuerDid : (await issuerKeys.create(id, session)).issuerDid);
  }
  return dids;
}

/**
 * The sealed API key, and its hash, which shows whether it changes. Undefined leaves it unchanged, null removes it. The
 * key is meant for the servers for which it was set: an endpoint at another origin removes it, unless the body has the
 * key as well.
 */
function apiKeyOf(
  id: string,
  { apiKey, ...body }: IssuerBody,
  before: IssuerRow | undefined,
  { issuerKeys }: WriteScope,
): Pick<IssuerRow, 'apiKeySealed' | 'apiKeyHash'> {
  if (apiKey === null || (apiKey === undefined && hasNewOrigin(body, before))) return {};
  const apiKeyHash =
    apiKey === undefined ? before?.apiKeyHash : createHash('sha256').update(`${id} ${apiKey}`).digest('hex');
  if (apiKeyHash === undefined) return {};
  const current = apiKeyHash === before?.apiKeyHash ? before.apiKeySealed : undefined;
  return { apiKeyHash, apiKeySealed: current ?? issuerKeys.sealApiKey(id, apiKey ?? '') };
}

/**
 * Assigns a DID to an entry and releases its previous one.
 * @throws DomainError CONFLICT when another entry, even a retired one, has it.
 */
export function claimDid(
  owners: DidOwners,
  noun: string,
  field: string,
  did: string,
  entry: { id: string; before: string | undefined },
): void {
  const owner = owners.get(did);
  if (owner !== undefined && owner !== entry.id) {
    throw new DomainError('CONFLICT', `"${field}" already belongs to the ${noun} ${owner}.`, { field });
  }
  if (entry.before !== undefined && entry.before !== did) owners.delete(entry.before);
  owners.set(did, entry.id);
}

/** Live credentials that are counted for a message. */
const COUNTED = 10_000;

/**
 * Counts the live credentials, because stored counters may lag, and prevents running imports from adding one.
 * @throws DomainError CONFLICT when there is one.
 */
export async function requireUnused(
  { models, session }: WriteScope,
  what: string,
  reference: { issuerId: string } | { schemaId: string },
): Promise<void> {
  await guard(models, session);
  const live = { ...reference, live: true };
  const count = await models.credentials.collection.countDocuments(live, { session, limit: COUNTED });
  if (count > 0) throw needed(what, count, 'credential');
}

/** The error for retiring an entry that live entries need. */
export function needed(what: string, count: number, noun: string): DomainError {
  const many = count < COUNTED ? String(count) : `${COUNTED} or more`;
  const entries = count === 1 ? `1 live ${noun} needs it` : `${many} live ${noun}s need it`;
  return new DomainError('CONFLICT', `The ${what} cannot be retired: ${entries}.`);
}

function checkEndpoints(body: IssuerBody, { sandbox }: WriteScope): void {
  for (const field of [...ENDPOINTS, 'walletIssuer'] as const) {
    const url = body[field];
    try {
      if (url !== null) checkOutboundUrl(url, { allowLoopback: sandbox });
    } catch (error) {
      if (error instanceof OutboundRefused) throw badInput(`"${field}" ${error.message}`, field);
      throw error;
    }
  }
}
