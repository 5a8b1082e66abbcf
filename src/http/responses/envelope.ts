// The catalog's response envelope (contract source, "Response envelope").

/** The catalog's code for success. */
export const SUCCESS_CODE = 80_000_000;

const BEFORE_DATA = `{"code":${SUCCESS_CODE},"msg":"success","data":`;
const BYTES_BEFORE_DATA = Buffer.from(BEFORE_DATA);
const afterData = (timestamp: number): string => `,"timestamp":${timestamp}}`;

/** The envelope of data that is already JSON in UTF-8. */
export function envelopeOf(data: Buffer, timestamp: number): Buffer {
  return Buffer.concat([BYTES_BEFORE_DATA, data, Buffer.from(afterData(timestamp))]);
}

/** The envelope of data that is already JSON. */
export const envelopeOfText = (data: string, timestamp: number): string => BEFORE_DATA + data + afterData(timestamp);

/** Wraps catalog data; `timestamp` is UNIX time in milliseconds. */
export function envelope(
  data: unknown,
  timestamp: number,
): { code: number; msg: string; data: unknown; timestamp: number } {
  return { code: SUCCESS_CODE, msg: 'success', data, timestamp };
}
