// A node that lies, hangs or talks too much: nothing of it gets further than one error.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, ChainUnreachable, NODE, NodeRefused, rpcOver } from '../../src/evm/rpc.js';
import { guardedFetch } from '../../src/http/outbound/guarded-fetch.js';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A node that answers everything so. */
async function nodeOf(answer: (response: ServerResponse) => void) {
  server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return rpcOver(guardedFetch({ allowLoopback: true }), `http://127.0.0.1:${port}`);
}

describe('The answer of a node', () => {
  it.each([
    ['nothing that is JSON', 'hello'],
    ['JSON that is no answer', '{"error": "text"}'],
    ['another type', '{"jsonrpc": "2.0", "id": 1, "result": {"number": 7}}'],
    ['a number without 0x', '{"jsonrpc": "2.0", "id": 1, "result": "7a69"}'],
    ['a number beyond all numbers', `{"jsonrpc": "2.0", "id": 1, "result": "0x${'f'.repeat(65)}"}`],
    ['a number too large to count with', '{"jsonrpc": "2.0", "id": 1, "result": "0xffffffffffffffff"}'],
  ])("a node's response that is %s counts as none", async (_, body) => {
    const rpc = await nodeOf((response) => response.end(body));
    await expect(ask(rpc, NODE.number, 'eth_chainId')).rejects.toThrow(ChainUnreachable);
  });

  it("a node's response of 10 MB is not read to its end", async () => {
    const rpc = await nodeOf((response) => response.end(`{"result": "${'x'.repeat(10_000_000)}"}`));
    await expect(rpc('eth_call')).rejects.toThrow(ChainUnreachable);
  });

  it('a node that does not respond is not waited for without end', async () => {
    const rpc = await nodeOf(() => {});
    await expect(rpc('eth_chainId')).rejects.toThrow('does not respond to eth_chainId');
  });

  it("a node's error has its code, and shows whether the call reverted", async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x08c379a0' };
    const rpc = await nodeOf((response) => response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error })));
    const refused = await rpc('eth_call').catch((caught: unknown) => caught);
    expect(refused).toBeInstanceOf(NodeRefused);
    expect(refused).toMatchObject({ code: 3, data: '0x08c379a0', reverted: true });
  });

  it('a node is called over a guarded connection only', async () => {
    await nodeOf(() => {});
    const rpc = rpcOver(guardedFetch({ allowLoopback: true }), 'https://169.254.169.254/');
    await expect(rpc('eth_chainId')).rejects.toThrow(ChainUnreachable);
  });
});
