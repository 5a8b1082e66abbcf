// Credential offers (OpenID4VCI, 4.1): the address in a QR code, and what it refers to.
import { hasOnly, type Json, must, numberOf, objectOf, textOf, textsOf } from './faults.js';
import { addressOf, jsonOf, mustBe, send } from './strict-http.js';

export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

export interface Offer {
  issuer: string;
  configurationIds: string[];
  preAuthorizedCode?: string;
  /** Undefined: no transaction code is asked for. */
  txCode?: Json;
  /** Whether an authorization code is a way, and with which state. */
  authorizationCode?: { issuerState?: string };
}

/** The schemes of OpenID4VCI, 12.1.1 and of HAIP. */
const SCHEMES = ['openid-credential-offer:', 'haip-vci:'];
const INPUT_MODES = ['numeric', 'text'];

function txCodeOf(value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  const txCode = objectOf(value, 'tx_code');
  hasOnly(txCode, ['input_mode', 'length', 'description'], 'tx_code');
  must(INPUT_MODES.includes(String(txCode.input_mode ?? 'numeric')), 'input_mode is numeric or text');
  if (txCode.length !== undefined) numberOf(txCode.length, 'the length of tx_code', 1);
  const description = txCode.description ?? '';
  must(typeof description === 'string' && description.length <= 300, 'the description of tx_code has 300 letters');
  return txCode;
}

function offerOf(json: Json): Offer {
  hasOnly(json, ['credential_issuer', 'credential_configuration_ids', 'grants'], 'an offer');
  const grants = objectOf(json.grants ?? {}, 'grants');
  hasOnly(grants, ['authorization_code', PRE_AUTHORIZED], 'grants');
  const offer: Offer = {
    issuer: addressOf(json.credential_issuer, 'credential_issuer'),
    configurationIds: textsOf(json.credential_configuration_ids, 'credential_configuration_ids'),
  };
  if (grants.authorization_code !== undefined) {
    const grant = objectOf(grants.authorization_code, 'authorization_code');
    hasOnly(grant, ['issuer_state', 'authorization_server'], 'the grant authorization_code');
    const state = grant.issuer_state;
    offer.authorizationCode = state === undefined ? {} : { issuerState: textOf(state, 'issuer_state') };
  }
  if (grants[PRE_AUTHORIZED] !== undefined) {
    const grant = objectOf(grants[PRE_AUTHORIZED], 'pre-authorized_code');
    hasOnly(grant, ['pre-authorized_code', 'tx_code', 'authorization_server'], 'the grant pre-authorized_code');
    offer.preAuthorizedCode = textOf(grant['pre-authorized_code'], 'pre-authorized_code');
    const txCode = txCodeOf(grant.tx_code);
    if (txCode !== undefined) offer.txCode = txCode;
  }
  return offer;
}

/** The offer behind an address as it stands in a QR code. */
export async function resolveOffer(uri: string): Promise<Offer> {
  const { protocol, searchParams } = new URL(uri);
  must(SCHEMES.includes(protocol), `an offer has one of the schemes ${SCHEMES.join(' ')}`);
  must([...searchParams].length === 1, 'an offer has one parameter');
  const byValue = searchParams.get('credential_offer');
  if (byValue !== null) return offerOf(objectOf(JSON.parse(byValue), 'credential_offer'));
  const address = addressOf(searchParams.get('credential_offer_uri'), 'credential_offer_uri');
  const answer = await send(address, { headers: { accept: 'application/json' } });
  mustBe(answer, 200);
  return offerOf(jsonOf(answer));
}
