// `doctor`: the store, its indexes and keys, and the processes that use it.
import type { Connection } from 'mongoose';
import type { Config } from '../base/config/config.js';
import { DataDirError } from '../base/data-dir.js';
import { endingCertificates } from '../certificates/ending.js';
import { certificateModels } from '../certificates/models.js';
import { keystoreBoxOf } from '../compose/core.js';
import { registerModels, sealedFields } from '../compose/domains.js';
import { keystoreFault, rotationOf } from '../compose/keystore.js';
import { eventModels } from '../events/models.js';
import { keyModels } from '../holders/key-models.js';
import { relyingPartyOf } from '../holders/webauthn.js';
import type { SealedBox } from '../keys/sealed-box.js';
import { openid4vciModels } from '../openid4vci/models.js';
import { type PartnerRow, partnerModels } from '../partners/models.js';
import { HOLDS, processLeaseModels } from '../store/process-rows.js';
import { problemFindings } from './doctor-parts.js';
import { serverFindings } from './doctor-server.js';
import { bad, type Finding, ok, warn } from './finding.js';
import { countOf } from './output.js';
import { isEmptyStore } from './store-beside.js';

/** The sequencer numbers events within a second; one that waits longer is reported. */
const WAITING_MS = 10_000;
const MAX_NAMED = 10;
const MAX_COUNTED = 10_000;

/** All findings of a store that responds. */
export async function storeFindings(config: Config, connection: Connection): Promise<Finding[]> {
  registerModels(connection);
  return [
    ...(await serverFindings(config, connection)),
    ...(await emptyFindings(connection)),
    await indexFinding(connection),
    await keyFinding(config, connection),
    await keySetFinding(connection),
    await certificateFinding(connection),
    await passkeyFinding(config, connection),
    ...(await workFindings(connection)),
    ...(await problemFindings(connection)),
  ];
}

async function emptyFindings(connection: Connection): Promise<Finding[]> {
  if (!(await isEmptyStore(connection))) return [];
  return [
    warn(
      'store',
      'The store is empty.',
      'That is normal before the first start. After a move, run `store copy` again.',
    ),
  ];
}

async function indexFinding(connection: Connection): Promise<Finding> {
  const missing: string[] = [];
  const models = Object.values(connection.models);
  const present = new Set((await connection.listCollections()).map(({ name }) => name));
  for (const model of models) {
    const { name } = model.collection;
    if (!present.has(name) || (await model.diffIndexes()).toCreate.length > 0) missing.push(name);
  }
  if (missing.length === 0) return ok('indexes', `all indexes of ${models.length} collections exist`);
  const names = missing.slice(0, MAX_NAMED).join(', ');
  const rest = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  return bad(
    'indexes',
    `Indexes are missing in ${countOf(missing.length, 'collection')}: ${names}${rest}.`,
    'Run: npm run cli -- migrate',
  );
}

/** The box of KEYSTORE_KEY, or the reason why the sandbox's own key cannot be used. */
export function boxOrFault(config: Config): SealedBox | DataDirError {
  try {
    return keystoreBoxOf(config);
  } catch (error) {
    if (error instanceof DataDirError) return error;
    throw error;
  }
}

async function keyFinding(config: Config, connection: Connection): Promise<Finding> {
  const box = boxOrFault(config);
  if (box instanceof DataDirError) return bad('keys', box.message, 'See "Backup and keys" in docs/operation.md.');
  const fault = await keystoreFault(connection, box, sealedFields(connection));
  if (fault !== undefined) return bad('keys', fault.message, 'See "Backup and keys" in docs/operation.md.');
  if (box.isEmpty) return ok('keys', 'the first start creates a KEYSTORE_KEY');
  return config.keystoreKeyPrevious === undefined
    ? ok('keys', 'KEYSTORE_KEY is the key of this store')
    : await rotationFinding(connection, box);
}

/** How long values that are not sealed again may still need the previous key. */
const PREVIOUS_MS = 86_400_000;

/** Until when something needs the previous key: what is not sealed again, and transaction codes of open offers, whose hashes are keyed by it. */
async function neededUntil(connection: Connection, resealedAt: Date): Promise<Date> {
  const day = new Date(resealedAt.getTime() + PREVIOUS_MS);
  const last = await openid4vciModels(connection)
    .offers.findOne({ due: { $gt: day }, state: 'open', txCodeHash: { $exists: true }, createdAt: { $lt: resealedAt } })
    .sort({ due: -1 })
    .lean();
  return last?.due ?? day;
}

/** What a rotation while gateways run waits for. */
export async function rotationFinding(connection: Connection, box: SealedBox): Promise<Finding> {
  const rotation = await rotationOf(connection, box);
  if (rotation === undefined) return ok('keys', 'the first start binds the store to KEYSTORE_KEY');
  if (rotation.sealing !== box.keyIds[0])
    return ok('keys', 'the new KEYSTORE_KEY will be used once every gateway has it');
  if (rotation.resealing || rotation.resealedAt === undefined)
    return ok('keys', 'values are being sealed again under the new KEYSTORE_KEY');
  const goes = await neededUntil(connection, rotation.resealedAt);
  if (goes.getTime() > Date.now())
    return ok(
      'keys',
      `everything is sealed under the new KEYSTORE_KEY; keep KEYSTORE_KEY_PREVIOUS until ${goes.toISOString()}`,
    );
  return warn(
    'keys',
    'KEYSTORE_KEY_PREVIOUS is not needed any more.',
    'Unset KEYSTORE_KEY_PREVIOUS and destroy that key.',
  );
}

async function keySetFinding(connection: Connection): Promise<Finding> {
  const filter = { keySetProblem: { $exists: true, $ne: null } };
  const rows = await partnerModels(connection).partners.find(filter, { keySetProblem: 1 }).limit(MAX_NAMED).lean();
  const mend = 'Inform the partner: tokens of keys that are only in that set are refused.';
  if (rows.length > 0)
    return bad('key sets', `Published key sets have problems: ${rows.map(keySetText).join(' ')}`, mend);
  return ok('key sets', 'no published key set of a partner has a problem');
}

const keySetText = ({ _id, keySetProblem }: Pick<PartnerRow, '_id' | 'keySetProblem'>): string =>
  `${_id}: ${keySetProblem}`;

/** Certificates that end soon, unless a newer key of the same owner has one that does not. The sandbox renews its own. */
async function certificateFinding(connection: Connection): Promise<Finding> {
  const ends = await endingCertificates(certificateModels(connection), Date.now());
  if (ends.length === 0) return ok('certificates', 'none ends within 30 days');
  const text = ends.map(({ owner, notAfter }) => `${owner} ${notAfter.toISOString()}`).join(', ');
  return warn(
    'certificates',
    `Certificates end soon or have ended: ${text}.`,
    'Have a new CSR signed: docs/certificates.md.',
  );
}

/** Compares the relying party with that of the passkeys there are: browsers offer a passkey only to the host that it was made for. */
async function passkeyFinding({ publicUrl, port, passkeyRpId }: Config, connection: Connection): Promise<Finding> {
  const rpId = relyingPartyOf(publicUrl ?? `http://localhost:${port}`, passkeyRpId)?.rpId;
  // Two ranges of its index, where $ne would read all.
  const others =
    rpId === undefined ? { rpId: { $gt: '' } } : { $or: [{ rpId: { $lt: rpId } }, { rpId: { $gt: rpId } }] };
  const { passkeys } = keyModels(connection);
  const found = await passkeys.countDocuments(others).limit(MAX_COUNTED);
  const row = await passkeys.findOne(others, { rpId: 1 }).lean();
  if (row === null) return ok('passkeys', rpId === undefined ? 'none, which need a host name' : `all are for ${rpId}`);
  return bad(
    'passkeys',
    `${countOf(found, 'passkey is', 'passkeys are')} for ${row.rpId}, and cannot be used: PASSKEY_RP_ID is ${rpId ?? 'none'}.`,
    `Set PASSKEY_RP_ID to ${row.rpId}, and PUBLIC_URL to an address of this host or below it.`,
  );
}

async function workFindings(connection: Connection): Promise<Finding[]> {
  const { processes } = processLeaseModels(connection);
  const running = await processes.countDocuments(HOLDS);
  const mend = 'Start a gateway: only a running one numbers events and sends them to subscribers.';
  const since = { at: { $lt: new Date(Date.now() - WAITING_MS) } };
  const waiting = await eventModels(connection)
    .events.countDocuments({ pending: true, ...since })
    .limit(MAX_COUNTED);
  return [
    ok('processes', running === 0 ? 'no gateway runs on this store' : `gateway processes on this store: ${running}`),
    waiting === 0
      ? ok('events', 'none is waiting for its number')
      : warn('events', `${countOf(waiting, 'event waits', 'events wait')} for a number in the log.`, mend),
  ];
}
