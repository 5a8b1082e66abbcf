// The catalog's response envelope (contract source, "Response envelope").

/** Success, as the catalog says it. */
export const SUCCESS_CODE = 80_000_000;

/** The same of data that is JSON text already. */
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
