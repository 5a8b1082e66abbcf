// hello and its older names: the handshake, and the awaitable form that drivers monitor a server with.
import { Int32, Long } from 'bson';
import { MAX_DOCUMENT_BYTES, MAX_MESSAGE_BYTES, toBytes } from '../bson/codec.js';
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';
import { SESSION_MINUTES } from '../sessions/sessions.js';
import type { Command, Ctx } from './context.js';
import { MAX_BATCH } from './insert.js';

/** The MongoDB version whose behaviour this engine follows. */
export const VERSION = '7.0.0';
/** Its wire versions (7.0). */
export const WIRE_VERSIONS = { min: 0, max: 21 };
/** Name of the replica set of one. */
export const SET_NAME = 'rs0';

/** MongoDB's limits for a client's metadata. */
const MAX_METADATA_BYTES = 512;
const MAX_APP_NAME_BYTES = 128;

/** The server's description of itself. */
export function describeServer(ctx: Ctx): Doc {
  const { address } = ctx.client;
  const { processId } = ctx.engine;
  return {
    topologyVersion: { processId, counter: Long.ZERO },
    hosts: [address],
    setName: SET_NAME,
    setVersion: new Int32(1),
    secondary: false,
    primary: address,
    me: address,
    electionId: processId,
    maxBsonObjectSize: new Int32(MAX_DOCUMENT_BYTES),
    maxMessageSizeBytes: new Int32(MAX_MESSAGE_BYTES),
    maxWriteBatchSize: new Int32(MAX_BATCH),
    localTime: new Date(),
    logicalSessionTimeoutMinutes: new Int32(SESSION_MINUTES),
    connectionId: new Int32(ctx.client.id),
    minWireVersion: new Int32(WIRE_VERSIONS.min),
    maxWireVersion: new Int32(WIRE_VERSIONS.max),
    readOnly: false,
  };
}

function rememberClient(ctx: Ctx): void {
  const metadata = ctx.args.get('client');
  if (!isDocument(metadata)) return;
  if (toBytes(metadata).length > MAX_METADATA_BYTES) {
    fail(
      'ClientMetadataDocumentTooLarge',
      `The client metadata document must be less then or equal to ${MAX_METADATA_BYTES} bytes`,
    );
  }
  const appName = appNameOf(metadata);
  if (appName !== undefined && Buffer.byteLength(appName) > MAX_APP_NAME_BYTES) {
    fail(
      'ClientMetadataAppNameTooLarge',
      `The 'application.name' field must be less then or equal to ${MAX_APP_NAME_BYTES} bytes`,
    );
  }
  ctx.client.metadata = metadata;
  ctx.client.appName = appName;
}

/** The name that a client gives its application in its handshake. */
export function appNameOf(metadata: unknown): string | undefined {
  const application = isDocument(metadata) ? metadata.application : undefined;
  return isDocument(application) && typeof application.name === 'string' ? application.name : undefined;
}

/** The topology never changes: an awaitable hello waits for maxAwaitTimeMS, or until the engine closes. */
async function awaitChange(ctx: Ctx): Promise<void> {
  const wait = ctx.args.integer('maxAwaitTimeMS');
  if (!ctx.args.has('topologyVersion') || wait === undefined) return;
  const until = Date.now() + wait;
  while (Date.now() < until && !ctx.client.closed && !ctx.engine.closing) {
    await ctx.engine.closed(Math.min(1000, until - Date.now()));
  }
}

/** The handshake. */
export const helloCommand: Command = {
  name: 'hello',
  aliases: ['isMaster', 'ismaster'],
  help: 'says what this server is',
  fields: [],
  anyFields: true,
  stable: true,
  noSession: true,
  async run(ctx: Ctx): Promise<Doc> {
    rememberClient(ctx);
    await awaitChange(ctx);
    const primary = ctx.name === 'hello' ? 'isWritablePrimary' : 'ismaster';
    return { ...(ctx.args.boolean('helloOk') ? { helloOk: true } : {}), [primary]: true, ...describeServer(ctx) };
  },
};
