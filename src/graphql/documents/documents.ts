// Documents, found by their text or by a name of it. Each is parsed and validated once, for HTTP, sockets and event
// streams together. A name is the SHA-256 of a text that was sent before (automatic persisted queries), or an id from
// the operator's manifest.
import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { badInput, DomainError } from '../../base/errors.js';
import type { Charge } from '../../base/callers/points.js';
import { checkNames, MAX_TOKENS } from './limits.js';
import { ManifestError, readManifest } from './manifest.js';
import { hashOf, PreparedDocument } from './prepared-document.js';
import { PreparedDocuments } from './prepared-documents.js';
import { readingPoints } from './price.js';
import { addErrorFields } from './value-places.js';

/** The members of a request that name its document. */
export interface DocumentReference {
  query?: string;
  /** `persistedQuery: { version: 1, sha256Hash }`, as Apollo's clients send it. */
  extensions?: Readonly<Record<string, unknown>> | null;
  /** The name in the draft of GraphQL over HTTP. */
  documentId?: unknown;
  /** Relay's usual name. */
  doc_id?: unknown;
}

export type TrustedMode = 'off' | 'prefer' | 'only';

export interface DocumentsOptions {
  /** Whether documents of a manifest are found by their ids, and whether other documents may run. */
  mode: TrustedMode;
  /** Path of the manifest; set unless the mode is `off`. */
  file: string | undefined;
  /** Path of the manifest of the gateway's own pages, whose documents run in every mode; absent: it serves none. */
  pages?: string | undefined;
}

/** Parses and validates documents, and finds them by text, hash or manifest id. */
export class Documents {
  /** The manifest's documents by hash, and their hashes by id. They are never evicted. */
  readonly #trusted = new Map<string, PreparedDocument>();
  readonly #hashes = new Map<string, string>();
  readonly #only: boolean;
  /** Texts of the gateway's own pages by their hashes. Each is prepared at its first use. */
  readonly #ofPages: ReadonlyMap<string, string>;

  /** @throws ManifestError when the manifest cannot be read or has a document that is not one of this schema. */
  constructor(
    private readonly schema: GraphQLSchema,
    { mode, file, pages }: DocumentsOptions,
    /** The store of prepared documents. */
    readonly prepared = new PreparedDocuments(),
  ) {
    this.#only = mode === 'only';
    this.#ofPages = pages === undefined ? new Map() : readManifest(pages);
    if (mode === 'off' || file === undefined) return;
    for (const [id, text] of readManifest(file)) {
      const prepared = this.#prepare(text);
      const [error] = prepared.errors;
      if (error) throw new ManifestError(file, `entry "${id}" is not a document of this gateway: ${error.message}`);
      this.#trusted.set(prepared.hash, prepared);
      this.#hashes.set(id, prepared.hash);
    }
  }

  /** The document that a request names or sends. */
  find(reference: DocumentReference, charge?: Charge): PreparedDocument {
    const query = reference.query === '' ? undefined : reference.query;
    const id = nameIn(reference, query !== undefined);
    if (query === undefined) return this.#named(id ?? notMeant(reference));
    if (id !== undefined) this.#checkName(id, query);
    const prepared = this.prepared.withText(query) ?? this.#trustedWith(hashOf(query));
    if (prepared !== undefined) return prepared;
    if (this.#only) throw notTrusted();
    charge?.take(readingPoints(query));
    return this.prepared.add(this.#prepare(query));
  }

  /** Apollo's document store: reads this one and writes nothing. Keys end with the SHA-256 of the text. */
  get store(): {
    get(key: string): Promise<DocumentNode | undefined>;
    set(): Promise<void>;
    delete(): Promise<boolean>;
  } {
    return {
      get: async (key) => this.#withHash(key.slice(key.lastIndexOf(':') + 1))?.document,
      set: async () => {},
      delete: async () => false,
    };
  }

  #checkName(id: string, query: string): void {
    const hash = hashOf(query);
    if (id !== hash && this.#hashes.get(id) !== hash)
      throw badInput('"extensions.persistedQuery.sha256Hash" is not the SHA-256 of "query".', NAME_FIELD);
  }

  #named(id: string): PreparedDocument {
    const prepared = this.#withHash(this.#hashes.get(id) ?? id);
    if (prepared) return prepared;
    if (this.#only) throw notTrusted();
    // Apollo's clients expect exactly this message, and then send the text.
    throw new DomainError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
  }

  #withHash(hash: string): PreparedDocument | undefined {
    return this.prepared.withHash(hash) ?? this.#trustedWith(hash);
  }

  /** A document of a manifest, which is added to the store like any other. */
  #trustedWith(hash: string): PreparedDocument | undefined {
    const trusted = this.#trusted.get(hash) ?? this.#ofPage(hash);
    return trusted && this.prepared.add(trusted);
  }

  #ofPage(hash: string): PreparedDocument | undefined {
    const text = this.#ofPages.get(hash);
    if (text === undefined) return undefined;
    const prepared = this.#prepare(text);
    this.#trusted.set(hash, prepared);
    return prepared;
  }

  #prepare(text: string): PreparedDocument {
    try {
      const document = parse(text, { maxTokens: MAX_TOKENS });
      checkNames(document);
      const errors = validate(this.schema, document);
      if (errors.length === 0) return new PreparedDocument(text, document);
      addErrorFields(document, errors);
      return new PreparedDocument(
        text,
        undefined,
        errors.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED')),
      );
    } catch (error) {
      return new PreparedDocument(text, undefined, [refusal(error)]);
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

/** @throws DomainError BAD_USER_INPUT for a request without a document, or with an invalid name of one. */
export function checkMeant(reference: DocumentReference): void {
  if (nameIn(reference, Boolean(reference.query)) === undefined && !reference.query) notMeant(reference);
}

const NAME_FIELD = 'extensions.persistedQuery.sha256Hash';

/**
 * The name of the document in a request. If the request has a text, only Apollo's name counts: the other members may be
 * the client's own.
 */
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
    'This gateway runs only documents that its operator has listed, and this is not one of them.',
  );
}

/** Why a text is refused before validation. */
function refusal(error: unknown): GraphQLError {
  if (error instanceof DomainError) return coded(new GraphQLError(error.message, { originalError: error }), error.code);
  return coded(error as GraphQLError, 'GRAPHQL_PARSE_FAILED');
}

function coded(error: GraphQLError, code: string): GraphQLError {
  error.extensions.code = code;
  return error;
}
