// A server that speaks just enough of MongoDB's wire protocol to describe itself: for versions of servers that tests cannot install.
import { createServer, type Socket } from 'node:net';
import { deserialize, type Document, serialize } from 'bson';

const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** Where the body begins: after the flags (4 bytes) and the kind of the only section. */
const BODY_AT = HEADER_BYTES + 5;

/** Starts a server that replies to every command with these members and `ok: 1`. */
export async function startHelloServer(
  reply: Document,
  listenAt = 0,
): Promise<{ host: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let bytes = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= HEADER_BYTES && bytes.length >= bytes.readInt32LE(0)) {
        const message = bytes.subarray(0, bytes.readInt32LE(0));
        bytes = bytes.subarray(message.length);
        // A monitor that waits for a change of the server gets no reply.
        if ('topologyVersion' in deserialize(message.subarray(BODY_AT))) continue;
        socket.write(replyTo(message, { ...reply, localTime: new Date(), ok: 1 }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(listenAt, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { host: `127.0.0.1:${port}`, close };
}

function replyTo(message: Buffer, document: Document): Buffer {
  const body = serialize(document);
  const head = Buffer.alloc(BODY_AT);
  head.writeInt32LE(BODY_AT + body.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}
