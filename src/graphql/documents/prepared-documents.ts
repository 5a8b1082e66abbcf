// The store of prepared documents: the one place where anything computed from a document is cached.
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { PreparedDocument } from './prepared-document.js';

/** How many documents are cached, and their approximate bytes in memory with all that is computed from them. */
const MAX_DOCUMENTS = 1_000;
const MAX_BYTES = 56_000_000;

/** Prepared documents by text, by hash and by parsed document. The least recently used are evicted first. */
export class PreparedDocuments {
  readonly #byText = new LRUCache<string, PreparedDocument>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: (prepared) => {
      this.#byHash.delete(prepared.hash);
      prepared.release();
    },
  });
  readonly #byHash = new Map<string, PreparedDocument>();
  readonly #byNode = new WeakMap<DocumentNode, PreparedDocument>();

  /** Adds a document, unless it alone exceeds the bounds, and returns it. */
  add(prepared: PreparedDocument): PreparedDocument {
    const { text, document, hash } = prepared;
    if (document) this.#byNode.set(document, prepared);
    this.#byText.set(text, prepared);
    if (this.#byText.has(text)) this.#byHash.set(hash, prepared);
    return prepared;
  }

  /** The document of a text. */
  withText(text: string): PreparedDocument | undefined {
    return this.#byText.get(text);
  }

  /** The document whose text has this SHA-256. */
  withHash(hash: string): PreparedDocument | undefined {
    const prepared = this.#byHash.get(hash);
    return prepared && this.#byText.get(prepared.text);
  }

  /** The prepared form of a parsed and valid document, with what was computed from it before. */
  of(document: DocumentNode): PreparedDocument {
    const prepared = this.#byNode.get(document);
    if (prepared) return prepared;
    const added = new PreparedDocument(document.loc?.source.body ?? '', document);
    this.#byNode.set(document, added);
    return added;
  }
}
