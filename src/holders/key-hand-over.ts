// The response to a device that takes over or registers a holder's key (contract §4.5).

/** A private key encrypted to a device (contract §4.5), all parts base64. */
export interface WrappedKey {
  encryptedData: string;
  iv: string;
  authTag: string;
  dataEncPublicKey: string;
}

/** The response to a device that takes over or registers the holder's key. */
export interface KeyHandOver {
  did: string;
  publicKey: string;
  wrappedKey: WrappedKey | null;
}
