// /v1/chain/rpc: JSON-RPC for wallets (contract §22).
import { z } from 'zod';
import { DomainError } from '../../base/errors.js';
import { type AnyRoute, route } from '../../http/routes/route.js';
import { type ChainRpc, isRpcCaller, MAX_BATCH, rpcResponse, rpcRequest } from './rpc.js';

/** Points of each call. */
const CALL_POINTS = 20;

const callsIn = (body: unknown): number =>
  Array.isArray(body) && body.length > 0 && body.length <= MAX_BATCH ? body.length : 1;

/** The route of JSON-RPC. */
export function rpcRoute({ chainRpc }: { chainRpc: ChainRpc }): AnyRoute {
  return route<unknown, unknown, unknown>({
    method: 'POST',
    path: '/v1/chain/rpc',
    summary: 'JSON-RPC 2.0 for wallets: one call or up to 100; errors have status 200',
    auth: ['partner', 'holder'],
    body: z.unknown(),
    bodyAs: z.union([rpcRequest, z.array(rpcRequest)]),
    answers: { 200: z.union([rpcResponse, z.array(rpcResponse)]), 204: null },
    // A longer batch is refused as a whole.
    points: ({ body }) => CALL_POINTS * callsIn(body),
    async handle({ caller, body }) {
      if (!isRpcCaller(caller)) throw new DomainError('FORBIDDEN', 'Only holders and partners may do this.');
      const response = await chainRpc.respond(caller, body);
      const headers = { 'cache-control': 'no-store' };
      return [response ?? []].flat().length === 0 ? { status: 204, headers } : { body: response, headers };
    },
  });
}
