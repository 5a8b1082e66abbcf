// The catalog's response envelope (contract source, "Response envelope").

/** The catalog's code for success. */
export const SUCCESS_CODE = 80_000_000;

const BEFORE_DATA = Buffer.from(`{"code":${SUCCESS_CODE},"msg":"success","data":`);

/** The envelope of data that is already JSON in UTF-8. */
export function envelopeOf(data: Buffer, timestamp: number): Buffer {
  return Buffer.concat([BEFORE_DATA, data, Buffer.from(`,"timestamp":${timestamp}}`)]);
}

/** Wraps catalog data; `timestamp` is UNIX time in milliseconds. */
export function envelope(
  data: unknown,
  timestamp: number,
): { code: number; msg: string; data: unknown; timestamp: number } {
  return { code: SUCCESS_CODE, msg: 'success', data, timestamp };
}
