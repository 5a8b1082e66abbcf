// Addresses of token status lists.

const PATH = '/v1/credentials/token-status-lists/';

/** Address of a token status list. */
export function tokenListAddress(publicUrl: string, listId: string): string {
  return `${publicUrl}${PATH}${encodeURIComponent(listId)}`;
}

/** The id of the list at an address; undefined for an address of another kind. */
export function listIdOf(publicUrl: string, address: string): string | undefined {
  const listId = address.slice(`${publicUrl}${PATH}`.length);
  try {
    return tokenListAddress(publicUrl, decodeURIComponent(listId)) === address ? decodeURIComponent(listId) : undefined;
  } catch {
    return undefined;
  }
}
