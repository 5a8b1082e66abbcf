// Announces the provider to the page's libraries (EIP-6963). It never becomes `window.ethereum`.
import type { Eip1193Provider } from '../core/types.js';

const ICON =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"%3E' +
  '%3Crect width="32" height="32" rx="8" fill="%232148c0"/%3E%3Ccircle cx="16" cy="16" r="7" fill="%23fff"/%3E%3C/svg%3E';

/**
 * Announces the provider now and whenever a library asks, until `signal` aborts. @param host host of the gateway's
 * PUBLIC_URL
 */
export function announceProvider(provider: Eip1193Provider, host: string, signal: AbortSignal): void {
  const rdns = host.replace(/:\d+$/, '').split('.').reverse().join('.');
  const info = Object.freeze({ uuid: uuid(), name: 'Core', icon: ICON, rdns });
  const detail = Object.freeze({ info, provider });
  const announce = (): void => {
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  };
  window.addEventListener('eip6963:requestProvider', announce, { signal });
  announce();
}

/** A random UUID; pages without TLS do not have `crypto.randomUUID`. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}
