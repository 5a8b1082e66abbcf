// The unified test format's shapes, as far as the suites use them.
// https://github.com/mongodb/specifications/blob/master/source/unified-test-format/unified-test-format.md
export type Json = Record<string, unknown>;

export interface RunOnRequirement {
  minServerVersion?: string;
  maxServerVersion?: string;
  topologies?: string[];
  auth?: boolean;
  serverParameters?: Json;
}

export interface Operation {
  name: string;
  object: string;
  arguments?: Json;
  expectResult?: unknown;
  expectError?: Json;
  ignoreResultAndError?: boolean;
  saveResultAsEntity?: string;
}

export interface EventList {
  client: string;
  eventType?: 'command' | 'cmap' | 'sdam';
  events: Json[];
  ignoreExtraEvents?: boolean;
}

export interface CollectionData {
  databaseName: string;
  collectionName: string;
  documents: Json[];
}

export interface TestCase {
  description: string;
  runOnRequirements?: RunOnRequirement[];
  skipReason?: string;
  operations: Operation[];
  expectEvents?: EventList[];
  outcome?: CollectionData[];
}

export interface TestFile {
  description: string;
  schemaVersion: string;
  runOnRequirements?: RunOnRequirement[];
  createEntities?: Json[];
  initialData?: CollectionData[];
  tests: TestCase[];
}

/** Reads a value as an object or says which one was not. */
export function object(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null) throw new Error(`${what} should be an object, got ${String(value)}`);
  return value as Json;
}
