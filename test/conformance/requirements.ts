// Which tests apply to the server at hand: the format's runOnRequirements, and what the engine refuses on purpose.
import type { RunOnRequirement, TestCase, TestFile } from './format.js';

export interface Server {
  version: string;
  topology: 'single' | 'replicaset' | 'sharded';
  auth: boolean;
  /** True for the embedded engine: what it refuses by design (docs/engine.md) is left out and named. */
  embedded: boolean;
  /** It takes configureFailPoint, as servers started with test commands do. */
  failPoints: boolean;
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function unmet(requirement: RunOnRequirement, server: Server): string | undefined {
  const { minServerVersion: min, maxServerVersion: max, topologies, auth } = requirement;
  if (min && compareVersions(server.version, min) < 0) return `needs server ${min} or later`;
  if (max && compareVersions(server.version, max) > 0) return `for servers up to ${max}`;
  if (topologies && !topologies.includes(server.topology)) return `for ${topologies.join('/')} only`;
  if (auth !== undefined && auth !== server.auth)
    return auth ? 'needs authentication' : 'needs a server without authentication';
  return undefined;
}

function firstUnmet(requirements: RunOnRequirement[] | undefined, server: Server): string | undefined {
  if (!requirements || requirements.length === 0) return undefined;
  const reasons = requirements.map((requirement) => unmet(requirement, server));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

/** What the engine answers with an error on purpose; a test that needs it cannot tell anything about the rest. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/"collation":/, 'refused: collation'],
  [/"\$out"/, 'refused: $out'],
  [/"\$merge"/, 'refused: $merge'],
  [/"name":"mapReduce"/, 'refused: mapReduce'],
  [/"timeseries"/, 'refused: time series'],
  [/"viewOn"/, 'refused: views'],
  [/PreAndPostImages|"fullDocumentBeforeChange"|"fullDocument":"(whenAvailable|required)"/, 'refused: before-images'],
  [/"clusteredIndex"/, 'refused: clustered collections'],
  [/"name":"(create|drop|list|update)SearchIndex/, 'refused: search indexes'],
  [/"name":"rename"/, 'refused: renameCollection'],
  [/"bucket"/, 'left out: GridFS operations are the driver’s own'],
  [/"validator":/, 'refused: validators'],
  [/\$listLocalSessions/, 'refused: $listLocalSessions'],
  [/"name":"modifyCollection"|"collMod"/, 'refused: collMod'],
  [/"readPreference":"secondary"/, 'needs a secondary: the engine is a replica set of one'],
];

/** Why a test is skipped, or undefined when it runs. */
export function skipReason(file: TestFile, test: TestCase, server: Server): string | undefined {
  if (test.skipReason) return `the suite says: ${test.skipReason}`;
  const reason = firstUnmet(file.runOnRequirements, server) ?? firstUnmet(test.runOnRequirements, server);
  if (reason) return reason;
  const text = JSON.stringify([test, file.createEntities]);
  if (!server.failPoints && text.includes('"failPoint"')) return 'needs a server started with test commands';
  if (!server.embedded) return undefined;
  return REFUSED.find(([pattern]) => pattern.test(text))?.[1];
}
