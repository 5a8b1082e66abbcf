// Finds parts of a document that its dialect allows and ajv does not support, with their paths; ajv's own errors have no paths.
import { isJsonObject } from '../../base/json/json-object.js';
import { parsedUrl } from '../../common/parsed-url.js';
import type { Misfit } from './misfit.js';
import { own, type ResolveReference } from './references.js';

/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** The base address of a relative `$id`. */
const BASE = 'https://document.invalid/';

/**
 * The first unsupported part of a document: its path, and the rest of the sentence.
 * @throws DomainError BAD_USER_INPUT for a reference to nothing.
 */
export function partBeyondAjv(document: unknown, resolve: ResolveReference): Misfit | undefined {
  const queue: { path: string; node: unknown }[] = [{ path: '', node: document }];
  for (const { path, node } of queue) {
    const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
    const fault = isJsonObject(node) ? faultOf(node) : undefined;
    if (fault) return { path: at(fault.path), message: fault.message };
    if (typeof node !== 'object' || node === null) continue;
    const reference = own(node, '$ref');
    if (typeof reference === 'string') resolve(reference);
    for (const [key, inner] of Object.entries(node)) if (!DATA.has(key)) queue.push({ path: at(key), node: inner });
  }
  return undefined;
}

function faultOf(node: object): Misfit | undefined {
  const choices = own(node, 'enum');
  if (Array.isArray(choices) && choices.length === 0) return { path: 'enum', message: 'must not be empty' };
  if (own(node, '$async') === true) return { path: '$async', message: 'must be left out' };
  if (typeof own(node, 'nullable') === 'boolean') {
    const types = [own(node, 'type')].flat();
    if (types[0] === undefined) return { path: 'nullable', message: 'needs "type" beside it' };
    if (own(node, 'nullable') === false && types.includes('null'))
      return { path: 'nullable', message: 'contradicts "type"' };
  }
  if (typeof own(node, 'id') === 'string') return { path: 'id', message: 'must be called "$id"' };
  const id = own(node, '$id');
  return typeof id === 'string' && !parsedUrl(id, BASE) ? { path: '$id', message: 'must be a URI' } : undefined;
}
