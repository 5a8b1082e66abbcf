// The effect of new content of a schema on credentials (contract §17): which conditions break, and which versions can still prove them.
import { familyOf } from '../../conditions/index.js';
import type { CatalogModels, CredentialRow } from '../rows/models.js';
import { breaksOf, demandsOn, type FieldTypes, pointsOf } from './breaks.js';
import { type Break, MAX_BREAKS } from './records.js';

type BuiltOn = Pick<CredentialRow, '_id' | 'schemaId' | 'schemaVersion'>;

/**
 * Which claims of a credential can still prove what programs ask under the new content: those issued under these
 * versions of the schema.
 */
export interface FittingVersions {
  credentialId: string;
  versions: number[];
}

export interface CatalogImpact {
  /** At most 1,000. */
  breaks: Break[];
  /** One for each credential that live programs have conditions for. */
  fitting: FittingVersions[];
}

/** Credentials per read. */
const AT_ONCE = 500;

/** The effect of moving every live credential on a schema to new content. @param now ms since 1970 UTC */
export async function catalogImpact(
  models: CatalogModels,
  schemaId: string,
  content: FieldTypes,
  now: number,
): Promise<CatalogImpact> {
  const breaks: Break[] = [];
  const fields = new Map<string, Set<string>>();
  for await (const batch of builtOn(models, schemaId)) {
    const points = await pointsOf(models, batch);
    for await (const demand of demandsOn(
      models,
      batch.map(({ _id }) => _id),
    )) {
      const { credentialId, conditions } = demand;
      const asked = fields.get(credentialId) ?? new Set();
      for (const { field } of conditions) asked.add(field);
      fields.set(credentialId, asked);
      const more = breaksOf(demand, { credentialId, from: points.get(credentialId) ?? [], to: content }, now);
      breaks.push(...more.slice(0, MAX_BREAKS - breaks.length));
    }
  }
  const versions = await models.schemaVersions.find({ schemaId }, { version: 1, dataPoints: 1 }).lean();
  const fitting = [...fields].map(([credentialId, asked]) => ({
    credentialId,
    versions: versions.filter(({ dataPoints }) => isSame(dataPoints, content, asked)).map(({ version }) => version),
  }));
  return { breaks, fitting };
}

/** Whether each of these fields has the same type family in both, as far as the new content has it. */
function isSame(version: FieldTypes, content: FieldTypes, asked: ReadonlySet<string>): boolean {
  const families = new Map(version.map(({ name, type }) => [name, familyOf(type)]));
  return content.every(({ name, type }) => !asked.has(name) || families.get(name) === familyOf(type));
}

/** Live credentials on a schema that live programs accept. */
async function* builtOn({ credentials }: CatalogModels, schemaId: string): AsyncGenerator<BuiltOn[]> {
  const rows = credentials
    .find({ schemaId, live: true, demandCount: { $gt: 0 } }, { schemaId: 1, schemaVersion: 1 })
    .lean<BuiltOn[]>()
    .cursor();
  let batch: BuiltOn[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
