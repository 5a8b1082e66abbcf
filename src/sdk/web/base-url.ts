// Where the gateway is: the origin that served this module, or the one that the page names.
import { CoreServiceError } from '../core/error.js';

/** The path at which the gateway serves this module. */
const OWN_PATH = '/sdk/core.js';

/** The origin from which this module was loaded, if a gateway served it. */
export function ownOrigin(): string | undefined {
  const { origin, pathname } = new URL(import.meta.url);
  return pathname === OWN_PATH ? origin : undefined;
}

/** The origin of an address; undefined: it is none of a page. */
export function originOf(url: string | undefined): string | undefined {
  try {
    const { origin, protocol } = new URL(url ?? '');
    return /^https?:$/.test(protocol) ? origin : undefined;
  } catch {
    return undefined;
  }
}

export const needsBaseUrl = (): CoreServiceError =>
  new CoreServiceError('INVALID_PARAMETER', '"baseUrl" must be the PUBLIC_URL of the gateway.');
