// The catalog's response envelope (contract source, "Response envelope").

/** The catalog's code for success. */
export const SUCCESS_CODE = 80_000_000;

/** The envelope of data that is already JSON text. */
export function envelopeText(data: string, timestamp: number): string {
  return `{"code":${SUCCESS_CODE},"msg":"success","data":${data},"timestamp":${timestamp}}`;
}

/** Wraps catalog data; `timestamp` is UNIX time in milliseconds. */
export function envelope(
  data: unknown,
  timestamp: number,
): { code: number; msg: string; data: unknown; timestamp: number } {
  return { code: SUCCESS_CODE, msg: 'success', data, timestamp };
}
