// A GraphQL client for typed documents. It sends a document's hash; the text follows only if the gateway asks for it.
import { createClient } from 'graphql-sse';
import type { TypedDocumentString } from './generated/graphql/graphql.js';
import texts from './generated/graphql/persisted-documents.json' with { type: 'json' };

/** The variables of a document, or nothing for a document without variables. */
type Arguments<Variables> = Variables extends Record<string, never> ? [] : [variables: Variables];

interface Result<Data> {
  data?: Data | null;
  errors?: readonly { message: string; extensions?: { code?: string } | undefined }[];
}

/** The gateway refuses an operation. Programs read `code`, people read `message`. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

export class GraphqlClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  /**
   * @param address of the gateway, such as http://127.0.0.1:4000.
   * @param headers for each request, such as `authorization`.
   */
  constructor(address: string, headers: Record<string, string> = {}) {
    this.#url = `${address}/graphql`;
    this.#headers = headers;
  }

  /**
   * Runs a query. Its hash is sent by GET, which browsers and CDNs can cache.
   * @throws RefusedError
   */
  async query<Data, Variables>(
    document: TypedDocumentString<Data, Variables>,
    ...[variables]: Arguments<Variables>
  ): Promise<Data> {
    const { query, extensions } = requestOf(document);
    const headers = this.#headers;
    const parameters = { extensions: JSON.stringify(extensions), variables: JSON.stringify(variables ?? {}) };
    const result = await this.#fetch<Data>(`?${new URLSearchParams(parameters)}`, { headers });
    if (!isUnknown(result)) return dataOf(result);
    const body = JSON.stringify({ query, extensions, variables });
    return dataOf(
      await this.#fetch<Data>('', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      }),
    );
  }

  /**
   * The results of a subscription. They end with an error when the connection is cut: subscribe again, with the `id` of
   * the last event as `after`.
   * @throws RefusedError, or graphql-sse's NetworkError
   */
  async *subscribe<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
  ): AsyncGenerator<Data> {
    const client = createClient({ url: this.#url, headers: this.#headers, retryAttempts: 0 });
    for await (const result of client.iterate<Data>({ ...requestOf(document), variables })) yield dataOf(result);
  }

  async #fetch<Data>(query: string, init: RequestInit): Promise<Result<Data>> {
    const response = await fetch(this.#url + query, init);
    return (await response.json()) as Result<Data>;
  }
}

/** A document as the gateway takes it: its text, and its name for later requests. */
function requestOf<Data, Variables>(document: TypedDocumentString<Data, Variables>) {
  const sha256Hash = document.__meta__?.hash as keyof typeof texts;
  return { query: texts[sha256Hash], extensions: { persistedQuery: { version: 1, sha256Hash } } };
}

const isUnknown = ({ errors }: Result<unknown>): boolean =>
  errors?.[0]?.extensions?.code === 'PERSISTED_QUERY_NOT_FOUND';

function dataOf<Data>({ data, errors: [error] = [] }: Result<Data>): Data {
  if (error) throw new RefusedError(error.message, error.extensions?.code ?? '');
  if (data) return data;
  throw new Error('The gateway returned neither data nor errors.');
}
