// The size limit of GraphQL requests: partners that may issue can send whole batches and packages, other callers only operations.
import { type Readable, Transform } from 'node:stream';
import type { Caller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';

/** Bytes of a request. */
export const BODY_LIMIT = 262_144;
/** Bytes of a request by a partner that may issue: `issueOnBehalfBatch`, `storeCredential`. */
export const ISSUING_BODY_LIMIT = 2_097_152;

/** Bytes that this caller may send. */
function bodyLimitOf(caller: Caller): number {
  return caller.kind === 'partner' && caller.scopes.includes('issue') ? ISSUING_BODY_LIMIT : BODY_LIMIT;
}

function tooLarge(): DomainError {
  return new DomainError(
    'PAYLOAD_TOO_LARGE',
    'The body is larger than 256 KiB, or 2 MiB of a partner with the scope issue; send a larger batch in parts, each of at most 10,000 rows.',
  );
}

/**
 * The request body, which fails when it exceeds its caller's limit.
 * @param contentLength the header, if there is one.
 * @throws DomainError PAYLOAD_TOO_LARGE, at once when content-length exceeds the limit.
 */
export function limitedBody(payload: Readable, caller: Caller, contentLength: string | undefined): Readable {
  const limit = bodyLimitOf(caller);
  if (Number(contentLength ?? 0) > limit) throw tooLarge();
  if (contentLength !== undefined) return payload;
  let received = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      if (received > limit) done(tooLarge());
      else done(null, chunk);
    },
  });
  // The error goes to the body's reader. After a refusal there may be none; this listener then drops the error.
  counted.on('error', () => {});
  payload.on('error', (error) => counted.destroy(error));
  if (payload.destroyed) counted.destroy(new Error('the request was cut off'));
  return payload.pipe(counted);
}
