// Manifests of trusted documents, in both forms that build tools write.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { withoutBom } from '../../base/json/unicode.js';

/** The manifest cannot be used; the message is one sentence for the person who started the gateway. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`The trusted documents in ${file} cannot be used: ${asEnd(reason)}`, options);
  }
}

/** A reason as the end of a sentence: some of graphql-js's reasons have two sentences. */
function asEnd(reason: string): string {
  return reason.replace('. Did you mean', '; did you mean').replace(/(?<![.?])$/, '.');
}

/** The form of Relay's compiler (`persistConfig.file`) and GraphQL Code Generator's client preset (`persistedDocuments`). */
const plain = z.record(z.string().min(1), z.string().min(1));

/** The form of @apollo/generate-persisted-query-manifest. */
const apollo = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
});

const SHA256 = /^[0-9a-f]{64}$/;

/** The documents of a manifest by their ids. @throws ManifestError naming the file and the invalid entry. */
export function readManifest(file: string): Map<string, string> {
  const documents = new Map<string, string>();
  for (const [id, text] of entriesOf(file)) {
    const other = documents.get(id);
    if (other !== undefined && other !== text) throw new ManifestError(file, `two documents have the id "${id}"`);
    // Clients treat an id that looks like a hash as the hash of the text.
    if (SHA256.test(id) && createHash('sha256').update(text).digest('hex') !== id)
      throw new ManifestError(file, `entry "${id}" is not the SHA-256 of its document`);
    documents.set(id, text);
  }
  if (documents.size === 0) throw new ManifestError(file, 'there is no document in it');
  return documents;
}

function entriesOf(file: string): (readonly [id: string, text: string])[] {
  const content = parsed(file, textOf(file));
  const form = isApollo(content) ? apollo : plain;
  const checked = form.safeParse(content);
  if (!checked.success) throw new ManifestError(file, problemOf(checked.error, content));
  const { data } = checked;
  if (form === apollo) return (data as z.output<typeof apollo>).operations.map(({ id, body }) => [id, body] as const);
  return Object.entries(data as z.output<typeof plain>);
}

const isApollo = (content: unknown): boolean => typeof content === 'object' && content !== null && 'format' in content;

function textOf(file: string): string {
  try {
    return withoutBom(readFileSync(file, 'utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const reasons: Record<string, string> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' };
    throw new ManifestError(file, reasons[String(code)] ?? 'it cannot be read', { cause: error });
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ManifestError(file, 'it is not JSON', { cause: error });
  }
}

/** The first invalid part, and where it is. */
function problemOf(error: z.ZodError, content: unknown): string {
  const path = error.issues[0]?.path ?? [];
  const [first, index, field] = path;
  if (first === 'operations' && typeof index === 'number')
    return `entry ${index} of "operations" needs ${field === 'id' ? 'an "id"' : 'a "body"'} that is a text`;
  if (isApollo(content)) return `"${String(first)}" is not as in an apollo-persisted-query-manifest of version 1`;
  if (first !== undefined) return `entry "${String(first)}" must be the text of a document`;
  return 'it is neither {"<sha256>": "<document>"} nor an apollo-persisted-query-manifest';
}
