// Changes of a credential that break live programs are refused, unless by force (contract §17): content on which their conditions cannot be
// proven, and the end of a compliance access key that they ask for.
import { DomainError } from '../../base/errors.js';
import type { CredentialRow } from '../rows/models.js';
import type { CredentialBody } from './bodies.js';
import { breaksOf, type Demand, demandsOn, type Move, pointsOf, shownBreak } from './breaks.js';
import { rowsById } from './entry-rows.js';
import type { RowsById } from './held-references.js';
import type { EntryBody, WriteScope } from './kind.js';

interface CredentialMove extends EntryBody<CredentialBody> {
  row: CredentialRow;
}

/** Whether a body leaves the credential on the schema version it has. */
export const keepsVersionOf = (before: CredentialRow | undefined, { schemaId }: CredentialBody): boolean =>
  before?.live === true && before.schemaId === schemaId;

/** Whether programs that accept a credential have to be checked again: its content has changed, or it lost its key. */
export function isMoved(before: CredentialRow, after: CredentialRow): boolean {
  const isSame = before.schemaId === after.schemaId && before.schemaVersion === after.schemaVersion;
  return after.demandCount > 0 && (!isSame || losesCak(before, after));
}

const losesCak = ({ cak }: Pick<CredentialRow, 'cak'>, after: Pick<CredentialRow, 'cak'>): boolean =>
  cak === true && !after.cak;

/**
 * The errors of refused bodies: each names the first program that needs what the body changes. Bodies with `force` are
 * included.
 */
export async function refusedMoves(
  { models, session, now }: WriteScope,
  items: readonly EntryBody<CredentialBody>[],
  before: ReadonlyMap<string, CredentialRow>,
  schemas: RowsById<unknown>,
): Promise<Map<CredentialBody, DomainError>> {
  const changes = items.flatMap((item): CredentialMove[] => {
    const row = before.get(item.id);
    if (row === undefined) return [];
    const keepsVersion = keepsVersionOf(row, item.body);
    const isChange = keepsVersion ? losesCak(row, item.body) : schemas.get(item.body.schemaId) !== undefined;
    return isChange ? [{ row, ...item }] : [];
  });
  const refused = new Map<CredentialBody, DomainError>();
  if (changes.length === 0) return refused;
  const rows = changes.map(({ row }) => row);
  const points = await pointsOf(models, rows, session);
  const schemaIds = changes.map(({ body }) => body.schemaId);
  const contents = await rowsById(models.schemas, schemaIds, session, ['dataPoints']);
  const ids = rows.map(({ _id }) => _id);
  for await (const demand of demandsOn(models, ids, session))
    for (const change of changes) {
      if (change.id !== demand.credentialId || refused.has(change.body)) continue;
      const move = { from: points.get(change.id) ?? [], to: contents.get(change.body.schemaId)?.dataPoints ?? [] };
      const refusal = refusalOf(demand, change, move, now.getTime());
      if (refusal) refused.set(change.body, refusal);
    }
  return refused;
}

function refusalOf(
  demand: Demand,
  { row, body }: CredentialMove,
  move: Pick<Move, 'from' | 'to'>,
  now: number,
): DomainError | undefined {
  if (demand.cak && losesCak(row, body)) return needed('cak', `is asked for by the program ${demand.programId}`);
  if (keepsVersionOf(row, body)) return undefined;
  const [first] = breaksOf(demand, { credentialId: row._id, ...move }, now);
  return first && needed('schemaId', `breaks ${shownBreak(first)}`);
}

const needed = (field: string, what: string): DomainError =>
  new DomainError('CONFLICT', `"${field}" ${what}; with "force": true it is written anyway.`, { field });
