// Notes the database commands of one gateway: a relay between it and the store that reads what goes by.
import { connect, createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** OP_MSG (MongoDB wire protocol): 16 bytes of header, 4 of flags, then a section of kind 0 with the command document. */
const OP_MSG = 2013;
const OP_CODE_AT = 12;
const DOCUMENT_AT = 21;
const CATALOG = new Set([
  'credentials',
  'programs',
  'issuers',
  'verifiers',
  'schemas',
  'schemaVersions',
  'schemaIssuers',
  'catalogTotals',
]);

export interface CommandCounter {
  /** The store's address, by way of the relay. */
  uri: string;
  /** How many commands on the catalog's collections have come until now. */
  count(): number;
  /** These, in their order. */
  commands(): readonly Document[];
  stop(): void;
}

/** Starts a relay in front of a store on this machine or another one; without TLS. */
export async function startCommandCounter(storeUri: string): Promise<CommandCounter> {
  const address = new URL(storeUri);
  const { hostname, port } = address;
  const sockets = new Set<Socket>();
  const commands: Document[] = [];
  const server = createServer((from) => {
    const to = connect(Number(port || 27_017), hostname);
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', () => {});
    }
    const read = frames((frame) => {
      const command = commandOf(frame);
      const [collection] = Object.values(command ?? {});
      if (command !== undefined && CATALOG.has(collection)) commands.push(command);
    });
    from.on('data', read);
    from.pipe(to).pipe(from);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  address.host = `127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
  address.searchParams.set('directConnection', 'true');
  return {
    uri: address.toString(),
    count: () => commands.length,
    commands: () => commands,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Cuts a stream into messages, each begun with its length. */
function frames(seen: (frame: Buffer) => void): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0);
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
      const length = pending.readInt32LE(0);
      seen(pending.subarray(0, length));
      pending = pending.subarray(length);
    }
  };
}

/** The command of a message; its first field names it and the collection that it is on. */
function commandOf(frame: Buffer): Document | undefined {
  if (frame.length < DOCUMENT_AT + 5 || frame.readInt32LE(OP_CODE_AT) !== OP_MSG) return undefined;
  return BSON.deserialize(frame.subarray(DOCUMENT_AT, DOCUMENT_AT + frame.readInt32LE(DOCUMENT_AT)));
}
