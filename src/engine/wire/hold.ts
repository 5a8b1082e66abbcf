// Holds a snapshot in the engine that serves a folder, from another process. Until it is released, lmdb keeps the pages of that state and of all later ones.
import { connect, type Socket } from 'node:net';
import { encodeDocument } from '../bson/encoder.js';
import type { Doc } from '../bson/types.js';
import { DataFolderError } from '../store/folder-error.js';
import { FrameReader, frameReply, headBytes, readRequest } from './frames.js';
import { isListening, socketPathFor } from './listener.js';

/** A snapshot that another process holds. */
export interface HeldSnapshot {
  /** Whether it was held until now. */
  isHeld(): Promise<boolean>;
  release(): void;
}

const TIMEOUT_MS = 30_000;
const COMMAND_NOT_FOUND = 59;

const isOk = (reply: Doc | undefined): boolean => Number(reply?.ok) === 1;

/** Asks the engine that serves a folder to hold a snapshot; undefined if no engine does. Throws DataFolderError (InUse). */
export async function holdSnapshot(dataDir: string): Promise<HeldSnapshot | undefined> {
  const path = socketPathFor(dataDir);
  if (!(await isListening(path))) return undefined;
  const socket = connect(path);
  const reply = await ask(socket, { holdSnapshot: 1, $db: 'admin' });
  if (!isOk(reply)) {
    socket.destroy();
    const isEarlier = Number(reply?.code) === COMMAND_NOT_FOUND;
    if (!isEarlier && !(await isListening(path))) return undefined;
    const reason = isEarlier ? 'is of an earlier version: restart it with this one' : 'does not respond';
    throw new DataFolderError('InUse', `The process that serves the data folder ${dataDir} ${reason}.`);
  }
  return {
    isHeld: async () => isOk(await ask(socket, { ping: 1, $db: 'admin' })),
    release: () => void socket.destroy(),
  };
}

/** The reply to a command; undefined if the connection ends before. */
function ask(socket: Socket, command: Doc): Promise<Doc | undefined> {
  const bytes = encodeDocument(command, headBytes(false));
  frameReply(bytes, { responseTo: 0, legacy: false });
  const reader = new FrameReader();
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(undefined), TIMEOUT_MS);
    const onClose = (): void => end(undefined);
    const onData = (chunk: Buffer): void => {
      const [frame] = reader.push(chunk);
      if (frame) end(readRequest(frame).body);
    };
    const end = (reply: Doc | undefined): void => {
      clearTimeout(timer);
      socket.off('close', onClose).off('data', onData);
      resolve(reply);
    };
    socket
      .on('close', onClose)
      .on('error', () => {})
      .on('data', onData);
    if (socket.destroyed) end(undefined);
    else socket.write(bytes);
  });
}
