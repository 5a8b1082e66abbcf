// Documents, by their text or by a name for it: each is parsed and validated once, for HTTP, sockets and event streams together.
// A name is the SHA-256 of a text that was sent before (automatic persisted queries), or an id from the operator's manifest.
import { createHash } from 'node:crypto';
import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { LRUCache } from 'lru-cache';
import { badInput, DomainError } from '../../base/errors.js';
import type { Charge } from '../../base/points.js';
import { checkNames, MAX_TOKENS } from './limits.js';
import { ManifestError, readManifest } from './manifest.js';
import { readingPoints } from './price.js';

/** Total characters of the documents that are cached parsed; a parsed document takes about seventy times the memory of its text. */
const KEPT_CHARACTERS = 500_000;

/** How a request names its document. */
export interface DocumentReference {
  query?: string;
  /** `persistedQuery: { version: 1, sha256Hash }`, as Apollo's clients send it. */
  extensions?: Readonly<Record<string, unknown>> | null;
  /** The draft of GraphQL over HTTP. */
  documentId?: unknown;
  /** Relay's customary name. */
  doc_id?: unknown;
}

/** A text that was parsed. */
export interface Read {
  text: string;
  /** SHA-256 of the text, hexadecimal. */
  hash: string;
  /** Undefined when the text is no valid document of our schema. */
  document: DocumentNode | undefined;
  /** Why it cannot run, each with `extensions.code`; empty when it can run. */
  errors: readonly GraphQLError[];
}

export type TrustedMode = 'off' | 'prefer' | 'only';

export interface DocumentsOptions {
  /** Whether documents of a manifest are found by their ids, and whether any others may run. */
  mode: TrustedMode;
  /** Path of the manifest; set unless the mode is `off`. */
  file: string | undefined;
}

/** Parses, validates and caches documents, and finds them by text, hash or manifest id. */
export class Documents {
  readonly #read = new LRUCache<string, Read>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: ({ text }) => text.length + 1,
  });
  /** The manifest's documents by hash, and their hashes by id. They are never evicted. */
  readonly #trusted = new Map<string, Read>();
  readonly #hashes = new Map<string, string>();
  readonly #only: boolean;

  /** @throws ManifestError when the manifest cannot be read or has a document that is not one of this schema. */
  constructor(
    private readonly schema: GraphQLSchema,
    { mode, file }: DocumentsOptions,
  ) {
    this.#only = mode === 'only';
    if (mode === 'off' || file === undefined) return;
    for (const [id, text] of readManifest(file)) {
      const read = this.#readNow(text, hashOf(text));
      const [error] = read.errors;
      if (error) throw new ManifestError(file, `entry "${id}" is not a document of this gateway: ${error.message}`);
      this.#trusted.set(read.hash, read);
      this.#hashes.set(id, read.hash);
    }
  }

  /**
   * The document that a request means.
   * @param charge what reading a text costs, the first time, is taken from it.
   * @throws DomainError BAD_USER_INPUT, PERSISTED_QUERY_NOT_FOUND, DOCUMENT_NOT_TRUSTED, RATE_LIMITED.
   */
  find(reference: DocumentReference, charge?: Charge): Read {
    const query = reference.query === '' ? undefined : reference.query;
    const id = nameIn(reference, query !== undefined);
    if (query === undefined) return this.#named(id ?? notMeant(reference));
    const hash = hashOf(query);
    if (id !== undefined && id !== hash && this.#hashes.get(id) !== hash)
      throw badInput('"extensions.persistedQuery.sha256Hash" is not the SHA-256 of "query".', NAME_FIELD);
    const read = this.#trusted.get(hash) ?? this.#read.get(hash);
    if (read !== undefined) return read;
    if (this.#only) throw notTrusted();
    charge?.take(readingPoints(query));
    const made = this.#readNow(query, hash);
    this.#read.set(hash, made);
    return made;
  }

  /** Apollo's document store: it reads ours and writes nothing. Keys end with the SHA-256 of the text. */
  get store(): {
    get(key: string): Promise<DocumentNode | undefined>;
    set(): Promise<void>;
    delete(): Promise<boolean>;
  } {
    return {
      get: async (key) => this.#valid(key.slice(key.lastIndexOf(':') + 1)),
      set: async () => {},
      delete: async () => false,
    };
  }

  /** The valid document whose text has this SHA-256. */
  #valid(hash: string): DocumentNode | undefined {
    return (this.#trusted.get(hash) ?? this.#read.get(hash))?.document;
  }

  #named(id: string): Read {
    const trusted = this.#trusted.get(this.#hashes.get(id) ?? id);
    if (trusted) return trusted;
    if (this.#only) throw notTrusted();
    const read = this.#read.get(id);
    // Apollo's clients look for exactly this message, and then send the text.
    if (read === undefined) throw new DomainError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    return read;
  }

  #readNow(text: string, hash: string): Read {
    try {
      const document = parse(text, { maxTokens: MAX_TOKENS });
      checkNames(document);
      const errors = validate(this.schema, document);
      if (errors.length === 0) return { text, hash, document, errors };
      return {
        text,
        hash,
        document: undefined,
        errors: errors.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED')),
      };
    } catch (error) {
      return { text, hash, document: undefined, errors: [refusal(error)] };
    }
  }
}

/** A document that cannot be parsed, or is not valid for our schema. */
export class DocumentRefused extends Error {
  override readonly name = 'DocumentRefused';
  constructor(readonly errors: readonly GraphQLError[]) {
    super('The document cannot run.');
  }
}

/** @throws DomainError BAD_USER_INPUT for a request that names no document, or names it wrongly. */
export function checkMeant(reference: DocumentReference): void {
  if (nameIn(reference, Boolean(reference.query)) === undefined && !reference.query) notMeant(reference);
}

const NAME_FIELD = 'extensions.persistedQuery.sha256Hash';

/** The document's name in a request. If there is a text, only Apollo's name counts: the others may be the client's own fields. */
function nameIn({ extensions, documentId, doc_id: docId }: DocumentReference, withText: boolean): string | undefined {
  const persisted = extensions?.persistedQuery;
  if (persisted !== undefined && persisted !== null) return nameOf(persisted);
  if (withText) return undefined;
  const id = documentId ?? docId ?? undefined;
  if (id === undefined) return undefined;
  if (typeof id === 'string' && id !== '') return id.replace(/^sha256:/, '');
  throw badInput('"documentId" must be the id of a document.', 'documentId');
}

function nameOf(persisted: unknown): string {
  const { version, sha256Hash } = persisted as { version?: unknown; sha256Hash?: unknown };
  if (version !== 1)
    throw badInput('"extensions.persistedQuery.version" must be 1.', 'extensions.persistedQuery.version');
  if (typeof sha256Hash === 'string' && sha256Hash !== '') return sha256Hash;
  throw badInput('"extensions.persistedQuery.sha256Hash" must be the id of a document.', NAME_FIELD);
}

function notMeant({ query }: DocumentReference): never {
  throw badInput(query === '' ? '"query" must be a GraphQL document.' : '"query" is missing.', 'query');
}

function notTrusted(): DomainError {
  return new DomainError(
    'DOCUMENT_NOT_TRUSTED',
    'This gateway runs only the documents that its operator has listed, and this is none of them.',
  );
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Why a text is refused before validation. */
function refusal(error: unknown): GraphQLError {
  if (error instanceof DomainError) return coded(new GraphQLError(error.message, { originalError: error }), error.code);
  return coded(error as GraphQLError, 'GRAPHQL_PARSE_FAILED');
}

function coded(error: GraphQLError, code: string): GraphQLError {
  error.extensions.code = code;
  return error;
}
