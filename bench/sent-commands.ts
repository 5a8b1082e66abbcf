// Preloaded into a gateway by `node --import`: counts the commands that it sends to its store, from the first SIGUSR2 on. The second writes the
// counts to the file COMMANDS_FILE as JSON, a number for each "command collection".
import { renameSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { deserialize } from 'bson';

/** OP_MSG (MongoDB wire protocol): 16 bytes of header, 4 of flags, then a section of kind 0 with the command document. */
const OP_MSG = 2013;
const OP_CODE_AT = 12;
const DOCUMENT_AT = 21;

function nameOf(frame: Buffer): string {
  const command = deserialize(frame.subarray(DOCUMENT_AT, DOCUMENT_AT + frame.readInt32LE(DOCUMENT_AT)));
  const [[name, value] = ['?', '']] = Object.entries(command);
  const collection: unknown = name === 'getMore' ? command.collection : value;
  return typeof collection === 'string' ? `${name} ${collection}` : name;
}

const isCommand = (bytes: unknown): bytes is Buffer =>
  Buffer.isBuffer(bytes) && bytes.length > DOCUMENT_AT + 5 && bytes.readInt32LE(OP_CODE_AT) === OP_MSG;

/** The engine's worker thread only replies. */
if (isMainThread) {
  let counts: Record<string, number> | undefined;
  const { write } = Socket.prototype;
  Socket.prototype.write = function (this: Socket, ...given: Parameters<Socket['write']>) {
    const [bytes] = given;
    if (counts && isCommand(bytes)) {
      const name = nameOf(bytes);
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return write.apply(this, given);
  } as Socket['write'];
  process.on('SIGUSR2', () => {
    const file = process.env.COMMANDS_FILE ?? '';
    if (counts) {
      // Whole from the moment that it is there.
      writeFileSync(`${file}.new`, JSON.stringify(counts));
      renameSync(`${file}.new`, file);
    }
    counts = {};
  });
}
