// What a MongoDB server accepts from clients that ask for API version 1 strictly. These facts come from MongoDB's own sources, in ../shared/data
// (undefined if that is missing).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The contents of the file; its member `sources` says where each fact is from. */
export interface ServerFacts {
  commands: Record<string, { fields: Record<string, string>; ignoresUnknownFields: boolean }>;
  statementFields: Record<'updates[]' | 'deletes[]' | 'indexes[]', Record<string, string>>;
  genericArguments: { stable: string[]; unstable: string[] };
  /** Whether the API has each stage: `Always…`, `Sometimes`, `NeverInVersion1`. */
  stages: Record<string, string>;
  changeStreamOptionsNotInApi1: string[];
  expressions: string[];
  accumulators: string[];
  matchOperators: string[];
  updateModifiers: string[];
  updatePipelineStages: string[];
  partialFilterExpressionOperators: { '7.0': string[] };
  existsTrueIsImpliedBy: string[];
  transactions: { commands: string[]; stagesRefused: string[]; databasesRefused: string[] };
  retryableWriteCommands: string[];
  limits: Record<'indexesPerCollection' | 'fieldsPerIndex' | 'subPipelineDepth' | 'regexPatternBytes', number>;
}

const FILE = join(import.meta.dirname, '../../../../shared/data/mongodb-api/api-v1.json');

export const serverFacts: ServerFacts | undefined = existsSync(FILE)
  ? (JSON.parse(readFileSync(FILE, 'utf8')) as ServerFacts)
  : undefined;
