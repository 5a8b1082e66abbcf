// Adds to each error the entry that it is about. An error's path has the position of an entry on its page; but if a
// field that must not be null fails, the page itself is null, and the position does not identify the entry.
import { type GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from 'graphql';

type Path = GraphQLResolveInfo['path'];

/** The objects of one response that have an `id`, by their paths. */
export class ResponseEntries {
  readonly #ids = new Map<Path, string>();

  /** Adds the object that a field is resolved on. */
  add(source: unknown, { path: { prev } }: Pick<GraphQLResolveInfo, 'path'>): void {
    if (prev !== undefined && hasId(source)) this.#ids.set(prev, source.id);
  }

  /** Sets `extensions.entry` of each error: the id of the innermost object on its path that has an id. */
  name(errors: readonly GraphQLError[]): void {
    const ids = new Map([...this.#ids].map(([path, id]) => [keyOf(responsePathAsArray(path)), id]));
    for (const { path = [], extensions } of errors) {
      const above = path.map((_, at) => ids.get(keyOf(path.slice(0, at + 1))));
      const entry = above.findLast((id) => id !== undefined);
      if (entry !== undefined) extensions.entry = entry;
    }
  }
}

const hasId = (source: unknown): source is { id: string } =>
  typeof source === 'object' && source !== null && 'id' in source && typeof source.id === 'string';

const keyOf = (path: readonly (string | number)[]): string => path.join('.');

const ENTRIES = new WeakMap<object, ResponseEntries>();

/** Collects the objects of resolvers with this context. */
export function collectFor(context: object, entries: ResponseEntries): void {
  ENTRIES.set(context, entries);
}

/** The collection that belongs to a resolver's context, if there is one. */
export function entriesFor(context: object): ResponseEntries | undefined {
  return ENTRIES.get(context);
}
