// Addresses of the console: paths of entries; the state of a list is in the query string.
import type { Kind } from '../api/changes.js';

/** Path below the console's base. Ids may be URLs. */
export const pathOf = (kind: Kind, id: string): string => `/${kind}/${encodeURIComponent(id)}`;

/** Where operators edit an entry. */
export const editorPath = (kind: Kind, id: string): string => `/operator/catalog${pathOf(kind, id)}`;

/** The id in the address of an entry's page. The router decodes paths only partly, so it is read from the address itself. */
export function idInAddress(): string {
  const [, , , id = ''] = location.pathname.split('/');
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** A query string with these values set; empty values are removed. */
export function withValues(search: string, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  return query.toString();
}
