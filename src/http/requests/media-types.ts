// Media types of public documents. In each list, the first is for clients without a preference. The document's text is
// the same under all types of a list, unless its route says otherwise.
import { JSON_TYPE } from './bodies.js';

/** DID documents (DID Core 1.0 and 1.1), which are JSON-LD too. */
export const DID_DOCUMENT_TYPES: readonly string[] = [
  JSON_TYPE,
  'application/did+json',
  'application/did+ld+json',
  'application/did',
  'application/ld+json',
];
/** Key sets (RFC 7517 §8.5.2). */
export const KEY_SET_TYPES: readonly string[] = [JSON_TYPE, 'application/jwk-set+json'];
/** JSON Schema documents (draft 2020-12, §14). */
export const JSON_SCHEMA_TYPES: readonly string[] = [JSON_TYPE, 'application/schema+json'];
/** OpenAPI documents. */
export const OPENAPI_TYPES: readonly string[] = [
  JSON_TYPE,
  'application/openapi+json',
  'application/vnd.oai.openapi+json',
];
/** A credential signed as a JWT (VC-JOSE-COSE §6.1.2). */
export const VC_JWT_TYPE = 'application/vc+jwt';
const TEXT_TYPE = 'text/plain';
/** The JWT, or a JSON-LD object that envelops it (VC Data Model 2.0 §4.13). */
export const SIGNED_CREDENTIAL_TYPES: readonly string[] = [
  VC_JWT_TYPE,
  TEXT_TYPE,
  'application/vc',
  JSON_TYPE,
  'application/ld+json',
];

/** Media types that are registered as JSON, although their names do not show it. */
const JSON_BY_REGISTRATION: readonly string[] = ['application/did', 'application/vc'];

/** Whether a media type is JSON by its name (RFC 6839 §3.1). */
export const isNamedJson = (type: string): boolean => /[/+]json$/.test(type);
/** Whether documents of a media type are one JSON text. */
export const isJson = (type: string): boolean => isNamedJson(type) || JSON_BY_REGISTRATION.includes(type);
