// Refusals of protocols that others specify: a code of theirs, and a sentence.

/** A refusal as `{error, error_description}`. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';

  constructor(
    /** A code of OAuth 2.0, OpenID4VCI or OpenID4VP, such as `invalid_grant`. */
    readonly code: string,
    message: string,
    readonly status = 400,
    /** The header www-authenticate. */
    readonly challenge?: string,
    /** The sentence for the log: the message, unless that repeats what was sent. */
    readonly logged = message,
  ) {
    super(message);
  }
}

/** A sentence as `error_description`: printable ASCII, without quotes and backslashes (RFC 6749 §5.2). */
export const errorDescription = (text: string): string =>
  text
    .replaceAll('’', "'")
    .replaceAll(/["\\]/g, "'")
    .replaceAll(/[^\x20-\x7e]/g, '?');
