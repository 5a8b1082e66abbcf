// The route of token status lists, at the address that credentials in wallets contain.
import { z } from 'zod';
import { DomainError } from '../../base/errors.js';
import { type AnyRoute, route } from '../../http/routes/route.js';
import { TEXT } from '../../http/routes/shapes.js';
import { LIST_MAX_AGE } from '../status-list.js';
import type { TokenLists } from './token-list.js';

/** Media type of a signed list (draft-ietf-oauth-status-list-21 §5.1). */
const MEDIA_TYPE = 'application/statuslist+jwt';

const params = z.object({ id: z.string().min(1).max(600) });
const query = z.object({ time: z.string().optional().describe('A past time, which gets 501.') });

export function tokenListRoute({ tokenLists }: { tokenLists: TokenLists }): AnyRoute {
  return route<z.output<typeof params>, z.output<typeof query>, unknown>({
    method: 'GET',
    path: '/v1/credentials/token-status-lists/:id',
    summary: 'A Token Status List, signed by its issuer',
    auth: 'public',
    // Verifiers in browsers read it too (draft-ietf-oauth-status-list-21 §8.1).
    anyOrigin: true,
    params,
    query,
    produces: [MEDIA_TYPE],
    headers: ['if-none-match'],
    answers: { 200: TEXT },
    fails: { 404: 'There is no such list.', 501: 'Earlier lists are not kept: there is no `time`.' },
    async handle({ params: { id }, query: { time }, headers }) {
      if (time !== undefined) throw new DomainError('NOT_IMPLEMENTED', 'Earlier lists are not kept: leave out "time".');
      const { jwt, etag, points } = await tokenLists.signed(id);
      const tag = `W/"${etag}"`;
      const caching = { etag: tag, 'cache-control': `public, max-age=${LIST_MAX_AGE}` };
      if (headers['if-none-match']?.includes(tag))
        return { status: 304, headers: caching, contentType: MEDIA_TYPE, body: '', points };
      return { headers: caching, contentType: MEDIA_TYPE, body: jwt, points };
    },
  });
}
