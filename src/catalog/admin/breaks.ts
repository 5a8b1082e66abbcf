// What new content of a schema breaks: conditions of live programs that could be proven before, and cannot afterwards (contract §17).
import type { ClientSession } from 'mongoose';
import { type Condition, unprovableOf } from '../../conditions/index.js';
import type { CatalogModels, CredentialRow, DataPoint, ProgramRow, StoredCondition } from '../rows/models.js';
import { familiesOf } from '../records/provability.js';
import type { Break } from './records.js';

/** The fields of a schema version with their types: its content as conditions see it. */
export type FieldTypes = readonly Pick<DataPoint, 'name' | 'type'>[];

/** A credential, and the schema content before and after its move. */
export interface Move {
  credentialId: string;
  from: FieldTypes;
  to: FieldTypes;
}

/** A program's conditions on one credential. */
export interface Demand {
  programId: string;
  credentialId: string;
  conditions: readonly Condition[];
  /** Whether the program asks for the compliance access key. */
  cak: boolean;
}

type DemandingRow = Pick<ProgramRow, '_id' | 'acceptedCredentials' | 'cak'>;

/** Breaks of one demand; none when nothing could be proven before. @param now ms since 1970 UTC */
export function breaksOf({ programId, credentialId, conditions }: Demand, { from, to }: Move, now: number): Break[] {
  const before = new Set(unprovableOf(conditions, familiesOf(from), now).map(({ condition }) => condition));
  return unprovableOf(conditions, familiesOf(to), now)
    .filter(({ condition }) => !before.has(condition))
    .map(({ condition, why }) => ({ programId, credentialId, condition, why }));
}

/** What live programs ask of these credentials, program by program; conditions that are stored unparsed are left out. */
export async function* demandsOn(
  { programs }: CatalogModels,
  credentialIds: readonly string[],
  session?: ClientSession,
): AsyncGenerator<Demand> {
  const wanted = new Set(credentialIds);
  const accepting = { live: true, 'acceptedCredentials.credentialId': { $in: [...wanted] } };
  const options = { projection: { acceptedCredentials: 1, cak: 1 }, ...(session && { session }) };
  for await (const row of programs.collection.find(accepting, options)) {
    const { _id: programId, acceptedCredentials, cak = false } = row as unknown as DemandingRow;
    for (const { credentialId, conditions } of acceptedCredentials)
      if (wanted.has(credentialId) && conditions)
        yield { programId, credentialId, conditions: readStored(conditions), cak };
  }
}

const readStored = (conditions: readonly StoredCondition[]): Condition[] => conditions as Condition[];

/** The data points that a credential is issued under. */
export async function pointsOf(
  { schemaVersions }: CatalogModels,
  credentials: readonly Pick<CredentialRow, '_id' | 'schemaId' | 'schemaVersion'>[],
  session?: ClientSession,
): Promise<ReadonlyMap<string, FieldTypes>> {
  const versionOf = ({ schemaId, schemaVersion }: Pick<CredentialRow, 'schemaId' | 'schemaVersion'>) =>
    `${schemaId}@${schemaVersion}`;
  const ids = [...new Set(credentials.map(versionOf))];
  const rows = await schemaVersions.find({ _id: { $in: ids } }, { dataPoints: 1 }, { session }).lean();
  const points = new Map(rows.map(({ _id, dataPoints }) => [_id, dataPoints]));
  return new Map(credentials.map((credential) => [credential._id, points.get(versionOf(credential)) ?? []]));
}

/** The condition that is named in a refusal. */
export const shownBreak = ({ programId, condition, why }: Break): string =>
  `${condition} of the program ${programId} (${why})`;
