// A proxy for imports that passes requests on to a gateway; its first refuses one as an overloaded gateway does, and its second ends in the
// middle of the response.
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Opens a proxy in front of a gateway. Only imports are disturbed. */
export async function openUnsteadyProxy(target: string): Promise<{ url: string; close(): Promise<void> }> {
  let imports = 0;
  const server = createServer((incoming, outgoing) => {
    imports += incoming.url?.endsWith('/import') ? 1 : 0;
    if (imports === 1) return void refuse(outgoing);
    pass(target, incoming, outgoing, imports === 2);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(outgoing: ServerResponse): void {
  outgoing.writeHead(503, { 'content-type': 'application/json', 'retry-after': '2' });
  outgoing.end('{"error":503,"message":"The store does not respond right now; try again shortly."}');
}

/** @param cuts whether the connection is cut once a part of the response has been passed on */
function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse, cuts: boolean): void {
  const { method, url, headers } = incoming;
  const onward = send(target + url, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.on('data', (part) => {
      outgoing.write(part, () => {
        if (cuts) incoming.socket.destroy();
      });
    });
    answer.on('end', () => outgoing.end());
    answer.on('error', () => outgoing.destroy());
  });
  onward.on('error', () => outgoing.destroy());
  incoming.on('error', () => onward.destroy());
  incoming.pipe(onward);
}
