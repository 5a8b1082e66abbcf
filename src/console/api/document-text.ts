// The texts of the console's documents, for people who copy them. They are loaded when they are first shown.
import { gql, stringifyDocument } from '@urql/core';

/** The text of a document by its hash, formatted in lines. */
export async function textOf(hash: string): Promise<string> {
  const { default: texts } = (await import('./generated/persisted-documents.json')) as {
    default: Record<string, string>;
  };
  return stringifyDocument(gql(texts[hash] ?? ''));
}
