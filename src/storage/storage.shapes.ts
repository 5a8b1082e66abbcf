// Shapes of stored packages (contract §4).
import { about, BASE64, HEX_64, named, object, oneOf, orNull, TEXT, TIME, UUID } from '../http/routes/shapes.js';

const METADATA = {
  id: UUID,
  storagePath: about('`dstorage://vc/<id>`', TEXT),
  schemaId: TEXT,
  proofType: TEXT,
  'issuerDid?': TEXT,
  'credentialId?': TEXT,
  'coreClaimHash?': HEX_64,
  createdAt: TIME,
  expiresAt: orNull(TIME),
};
const FOR_PARTNER = {
  ...METADATA,
  holderDid: TEXT,
  'externalId?': TEXT,
  state: oneOf('STORED'),
  envelopeVersion: oneOf('1'),
  receipt: about('A JWS: what was stored, for whom and when.', TEXT),
};
const CIPHERTEXT = {
  data: BASE64,
  iv: BASE64,
  authTag: BASE64,
  encryptedKey: about('The ephemeral public key, SPKI DER.', BASE64),
};

export const HELD_CREDENTIAL = named('HeldCredential', object(METADATA));
export const HELD_CREDENTIAL_WITH_DATA = named('HeldCredentialWithData', object({ ...METADATA, ...CIPHERTEXT }));
export const STORED_PACKAGE = named('StoredPackage', object(FOR_PARTNER));
export const STORED_PACKAGE_WITH_DATA = named('StoredPackageWithData', object({ ...FOR_PARTNER, ...CIPHERTEXT }));

/** The response to storing a package. */
export const STORED = named(
  'Stored',
  object({
    storagePath: TEXT,
    state: oneOf('STORED'),
    envelopeVersion: oneOf('1'),
    createdAt: TIME,
    'receipt?': TEXT,
  }),
);
