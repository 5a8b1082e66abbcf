// Idempotency keys.

/** 128 random bits in hex. Pages without TLS have no `crypto.randomUUID`. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
