// Response shapes of holders' routes (contract §4, §21).
import {
  about,
  BASE64,
  BOOLEAN,
  COUNT,
  listOf,
  named,
  object,
  oneOf,
  orNull,
  TEXT,
  TIME,
  UUID,
} from '../http/routes/shapes.js';

/** Why the holder of a valid session may not be found. */
export const ERASED = 'The holder has just been erased.';

export const RECIPIENT = named(
  'Recipient',
  object({
    userId: UUID,
    did: TEXT,
    publicKey: about('X25519, SPKI DER, in hex with 0x.', TEXT),
    status: oneOf('new', 'existing'),
  }),
);

export const CLIENT_CONFIG = named(
  'ClientConfig',
  object({
    partnerId: UUID,
    name: TEXT,
    networkEnv: oneOf('sandbox', 'production'),
    credentialNetwork: orNull(oneOf('devnet', 'testnet')),
    publicUrl: TEXT,
    allowedOrigins: listOf(TEXT),
    chainId: orNull(COUNT),
    rpId: orNull(about('A host name, for passkeys.', TEXT)),
    venue: orNull(TEXT),
  }),
);

export const LOGIN_BEGUN = object({ loginId: UUID, 'message?': about('What an account signs (ERC-4361).', TEXT) });

export const LOGIN_RESULT = named(
  'LoginResult',
  object({
    isLoggedIn: BOOLEAN,
    id: UUID,
    'abstractAccountAddress?': TEXT,
    token: about('A session token, for `authorization: Bearer`.', TEXT),
    isMFASetup: BOOLEAN,
  }),
);

export const PAGE_TOKEN = object({ token: about('A page token, for `authorization: Bearer`.', TEXT), expiresAt: TIME });

export const CORE_ID = named(
  'CoreId',
  object({
    id: about("The token's id, in decimal.", TEXT),
    'name?': TEXT,
    node: TEXT,
    status: oneOf('minting', 'minted'),
    chainId: COUNT,
    'imageUrl?': TEXT,
  }),
);

export const HOLDER_DETAILS = named(
  'HolderDetails',
  object({
    'partnerId?': UUID,
    'partnerUserId?': TEXT,
    'coreId?': CORE_ID,
    user: object({ id: UUID, 'abstractAccountAddress?': TEXT, email: TEXT, isMFASetup: BOOLEAN }),
  }),
);

export const KEY_HAND_OVER = named(
  'KeyHandOver',
  object({
    did: TEXT,
    publicKey: TEXT,
    wrappedKey: orNull(
      named('WrappedKey', object({ encryptedData: BASE64, iv: BASE64, authTag: BASE64, dataEncPublicKey: BASE64 })),
    ),
  }),
);

export const SIGNING_KEY = object({ jwk: object({ kty: TEXT, crv: TEXT, x: TEXT, y: TEXT }) });
export const CONSENT = object({ partnerId: UUID, consent: oneOf('accepted', 'declined') });
export const MAILBOX = object({ messages: listOf(object({ to: TEXT, subject: TEXT, code: TEXT, sentAt: TIME })) });
