// Counts live credentials whose schema version cannot prove the conditions of programs (contract §17).
import type { CountOutdated } from '../catalog/admin/schema-impact.service.js';
import type { IssuanceModels } from './models.js';

/** Credentials per count. */
const AT_ONCE = 1_000;

type Fitting = Parameters<CountOutdated>[1];

/** Counts them up to a limit, with one command for each set of versions. */
export function outdatedCounter({ issuances }: IssuanceModels): CountOutdated {
  return async (schemaId, fitting, bound) => {
    let count = 0;
    for (const { versions, credentialIds } of groupsOf(fitting)) {
      if (count >= bound) return bound;
      const isFitting = { schemaId, schemaVersion: { $in: versions } };
      const outdated = { credentialId: { $in: credentialIds }, live: true, $nor: [isFitting] };
      count += await issuances.countDocuments(outdated, { limit: bound - count });
    }
    return count;
  };
}

/** Credentials with the same versions, in groups of limited size. */
function groupsOf(fitting: Fitting): { versions: number[]; credentialIds: string[] }[] {
  const groups = new Map<string, Fitting[number][]>();
  for (const each of fitting) {
    const key = JSON.stringify(each.versions);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / AT_ONCE) }, (_, part) => ({
      versions: group[0]?.versions ?? [],
      credentialIds: group.slice(part * AT_ONCE, (part + 1) * AT_ONCE).map(({ credentialId }) => credentialId),
    })),
  );
}
