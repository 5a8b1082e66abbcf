// Makes each reference of a document a JSON pointer from its root (`#/…`): references by `$id` (absolute, relative or a
// URN) to the document or to one bundled inside it, and references by anchor. One that points outside is unchanged.
import { badInput } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json/json-object.js';
import { parsedUrl } from '../../common/parsed-url.js';
import { own } from './references.js';

/** What a relative `$id` is resolved against. */
const BASE = 'https://document.invalid/';
/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose members are schemas by names. */
const NAMED: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'],
]);
const DYNAMIC = ['$dynamicRef', '$recursiveRef'] as const;

/** Where a schema is: its path from the root, and the address of the innermost document around it. */
interface Place {
  path: readonly string[];
  base: string;
}

const ROOT: Place = { path: [], base: BASE };

/**
 * A copy of the document. References to its own parts are `$ref`s with JSON pointers, names of parts are removed, and
 * BigInts are the nearest doubles.
 * @throws DomainError BAD_USER_INPUT for a name that two parts have, and for a dynamic reference that may mean several
 * parts.
 */
export function withLocalReferences(document: JsonObject): JsonObject {
  const names = new Names();
  const copy = withDoubles(document);
  changed(copy, ROOT, (node, place) => names.add(node, place));
  return changed(copy, ROOT, (node, place) => localNode(node, place, names)) as JsonObject;
}

const withDoubles = (document: JsonObject): unknown =>
  JSON.parse(JSON.stringify(document, (_key, value) => (typeof value === 'bigint' ? Number(value) : value)));

/** The node, with `change` applied to each schema in it, outer ones first. */
function changed(node: unknown, outer: Place, change: (node: JsonObject, place: Place) => JsonObject): unknown {
  if (Array.isArray(node)) return node.map((part, index) => changed(part, below(outer, String(index)), change));
  if (!isJsonObject(node)) return node;
  const place = { ...outer, base: baseOf(node, outer.base) };
  const entries = Object.entries(change(node, place)).map(([key, value]) => {
    const at = below(place, key);
    if (DATA.has(key)) return [key, value];
    if (!NAMED.has(key) || !isJsonObject(value)) return [key, changed(value, at, change)];
    const members = Object.entries(value).map(([name, part]) => [name, changed(part, below(at, name), change)]);
    return [key, Object.fromEntries(members)];
  });
  return Object.fromEntries(entries);
}

const below = ({ path, base }: Place, key: string): Place => ({ path: [...path, key], base });

/** The address that references of a node are relative to; its `$id` may change it. */
function baseOf(node: JsonObject, base: string): string {
  const id = own(node, '$id');
  return typeof id === 'string' && !id.startsWith('#') ? (addressOf(id, base) ?? base) : base;
}

function localNode(node: JsonObject, { base }: Place, names: Names): JsonObject {
  const isName = (key: string, value: unknown): boolean =>
    (key === '$id' && typeof value === 'string' && addressOf(value, base) !== undefined) ||
    (/^\$(?:dynamicA|a)nchor$/.test(key) && typeof value === 'string') ||
    key === '$recursiveAnchor';
  const local = Object.fromEntries(Object.entries(node).filter(([key, value]) => !isName(key, value)));
  const reference = own(node, '$ref');
  if (typeof reference === 'string') local.$ref = names.local(reference, base);
  for (const keyword of DYNAMIC) {
    const dynamic = own(node, keyword);
    if (typeof dynamic !== 'string') continue;
    delete local[keyword];
    const target = names.local(dynamic, base);
    names.checkDynamic(keyword, dynamic, target);
    if (local.$ref === undefined) local.$ref = target;
    else local.allOf = [...[local.allOf ?? []].flat(), { $ref: target }];
  }
  return local;
}

/** The names of the parts of a document. */
class Names {
  /** The pointer to each part with a name, by its address: `https://a.example/b`, `https://a.example/b#anchor`. */
  readonly #pointers = new Map<string, string>([[BASE, '#']]);
  /** Pointers to the parts with a dynamic anchor, by its name. */
  readonly #dynamic = new Map<string, Set<string>>();

  add(node: JsonObject, { path, base }: Place): JsonObject {
    const [id, anchor, dynamic] = ['$id', '$anchor', '$dynamicAnchor'].map((key) => own(node, key));
    if (typeof id === 'string' && id.startsWith('#')) this.#set(base + id, path, '$id');
    else if (typeof id === 'string' && addressOf(id, base) !== undefined) this.#set(base, path, '$id');
    if (typeof anchor === 'string') this.#set(`${base}#${anchor}`, path, '$anchor');
    if (typeof dynamic === 'string') {
      if (dynamic !== anchor) this.#set(`${base}#${dynamic}`, path, '$dynamicAnchor');
      this.#addDynamic(dynamic, path);
    }
    if (own(node, '$recursiveAnchor') === true) this.#addDynamic('', path);
    return node;
  }

  /** The pointer to the part that a reference names; the reference itself if it points outside. */
  local(reference: string, base: string): string {
    const [path = '', fragment = ''] = reference.split(/#(.*)/s);
    const address = path === '' ? base : addressOf(path, base);
    if (fragment !== '' && !fragment.startsWith('/'))
      return this.#pointers.get(`${address}#${decoded(fragment)}`) ?? (address === base ? `#${fragment}` : reference);
    const start = this.#pointers.get(address ?? '');
    return start === undefined ? reference : start + fragment;
  }

  /** @throws DomainError BAD_USER_INPUT if the part that is meant depends on how the reference was reached. */
  checkDynamic(keyword: string, reference: string, target: string): void {
    const named = this.#dynamic.get(keyword === '$recursiveRef' ? '' : decoded(reference.replace(/^[^#]*#/s, '')));
    if (named?.has(target) && named.size > 1)
      throw badInput(
        `The document cannot be used to check a subject: the ${keyword} ${JSON.stringify(reference.slice(0, 200))} may mean several of its parts.`,
      );
  }

  #set(address: string, path: readonly string[], keyword: string): void {
    const pointer = pointerOf(path);
    const before = this.#pointers.get(address) ?? pointer;
    const place = [...path, keyword].join('.');
    if (before !== pointer)
      throw badInput(
        `The document cannot be used to check a subject: "${place}" is given to two parts of the document.`,
      );
    this.#pointers.set(address, pointer);
  }

  #addDynamic(name: string, path: readonly string[]): void {
    this.#dynamic.set(name, (this.#dynamic.get(name) ?? new Set()).add(pointerOf(path)));
  }
}

/** RFC 6901, in a URI fragment. */
const pointerOf = (path: readonly string[]): string =>
  ['#', ...path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))].join('/');

/** An absolute address, without its fragment; undefined for what is none. */
function addressOf(id: string, base: string): string | undefined {
  const path = id.replace(/#.*$/s, '');
  // The second is relative to a URN.
  return parsedUrl(path, base)?.href ?? (parsedUrl(path, BASE) && path);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
