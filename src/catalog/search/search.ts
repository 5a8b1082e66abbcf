// Search over the catalog (contract §2): the worker finds ids, the catalog service reads their records.
import type { ChangeFeed } from '../../store/change-feed.js';
import type { CatalogService } from '../reading/catalog.js';
import type { CatalogModels } from '../rows/models.js';
import { SearchFeed } from './feed.js';
import { type FoundGroup, SEARCH_KINDS, type SearchKind } from './protocol.js';
import { SearchWorker } from './worker-client.js';

export interface SearchQuery {
  query: string;
  /** Kinds to search; default: all. */
  types?: readonly SearchKind[];
  /** The page, 1-based; it applies to each kind. */
  page: number;
  limit: number;
}

interface ResultGroup<T> {
  items: (T & { relevance: number })[];
  total: number;
}

/** The response of the contract. */
export interface SearchAnswer {
  credentials: ResultGroup<{
    credentialId: string;
    name: string;
    category: string;
    issuer: { issuerId: string; name: string };
  }>;
  issuers: ResultGroup<{ issuerId: string; name: string; issuerDid: string }>;
  programs: ResultGroup<{ programId: string; name: string; verificationCount: number }>;
  meta: { query: string; totalResults: number };
}

const NONE: FoundGroup = { total: 0, items: [] };

/** Full-text search over the catalog. */
export class CatalogSearch {
  readonly #worker = new SearchWorker();
  readonly #feed: SearchFeed;

  constructor(
    changes: Pick<ChangeFeed, 'listen'>,
    models: CatalogModels,
    private readonly catalog: CatalogService,
    onError: (error: unknown) => void,
  ) {
    this.#feed = new SearchFeed(changes, models, this.#worker, onError);
  }

  /** Starts to fill the indexes and to follow the catalog. Searches wait until the indexes are filled. */
  start(): void {
    this.#feed.start();
  }

  /** Whether searches are refused because the worker has ended. */
  get isDown(): boolean {
    return this.#feed.isStarted && this.#feed.wasFilled && !this.#worker.alive;
  }

  /** Finds entries by words, best first. Entries that were retired a moment ago are left out. */
  async search({ query, types = SEARCH_KINDS, page, limit }: SearchQuery): Promise<SearchAnswer> {
    await this.#feed.filled;
    const groups = await this.#worker.search({ query, kinds: types, offset: (page - 1) * limit, limit });
    const { credentials = NONE, issuers = NONE, programs = NONE } = groups;
    const [foundCredentials, foundIssuers, foundPrograms] = await Promise.all([
      this.#credentials(credentials),
      this.#matches('issuers', issuers),
      this.#matches('programs', programs),
    ]);
    return {
      credentials: { items: foundCredentials, total: credentials.total },
      issuers: {
        items: foundIssuers.map(({ row: { issuerId, name, issuerDid }, relevance }) => ({
          issuerId,
          name,
          issuerDid,
          relevance,
        })),
        total: issuers.total,
      },
      programs: {
        items: foundPrograms.map(({ row: { programId, name, traction }, relevance }) => ({
          programId,
          name,
          verificationCount: traction.verificationCount,
          relevance,
        })),
        total: programs.total,
      },
      meta: { query, totalResults: credentials.total + issuers.total + programs.total },
    };
  }

  /** Stops following and ends the worker. */
  async close(): Promise<void> {
    await this.#feed.stop();
    await this.#worker.close();
  }

  async #matches<K extends SearchKind>(kind: K, group: FoundGroup) {
    const rows =
      group.items.length === 0
        ? []
        : await this.catalog.byIds(
            kind,
            group.items.map(({ id }) => id),
          );
    return group.items.flatMap(({ relevance }, at) => {
      const row = rows[at];
      return row ? [{ row, relevance }] : [];
    });
  }

  async #credentials(group: FoundGroup): Promise<SearchAnswer['credentials']['items']> {
    const matches = await this.#matches('credentials', group);
    const issuerIds = [...new Set(matches.map(({ row }) => row.issuerId))];
    const issuers = issuerIds.length === 0 ? [] : await this.catalog.byIds('issuers', issuerIds);
    const names = new Map(issuerIds.map((id, at) => [id, issuers[at]?.name ?? '']));
    return matches.map(({ row: { credentialId, name, category, issuerId }, relevance }) => ({
      credentialId,
      name,
      category,
      relevance,
      issuer: { issuerId, name: names.get(issuerId) ?? '' },
    }));
  }
}
