// Type metadata of a credential's form for wallets (draft-ietf-oauth-sd-jwt-vc-26 §4): names for people, and what may be disclosed.
import { vctOf } from '../../catalog/reading/issuing.service.js';
import type { CredentialRow, SchemaVersionRow } from '../../catalog/rows/models.js';

const LOCALE = 'en';

interface TypeClaim {
  path: string[];
  display: { locale: string; label: string; description?: string }[];
  sd: 'always';
}

export interface TypeMetadata {
  vct: string;
  name: string;
  description: string;
  display: { locale: string; name: string; description: string }[];
  claims: TypeClaim[];
}

/** The metadata, from the version of the schema that the credential uses. */
export function typeMetadata(
  credential: Pick<CredentialRow, '_id' | 'name' | 'vct' | 'derived'>,
  { title, description, dataPoints }: Pick<SchemaVersionRow, 'title' | 'description' | 'dataPoints'>,
  publicUrl: string,
): TypeMetadata {
  const { name, derived = [] } = credential;
  const points = dataPoints.map(({ name: path, title: label, description: meaning }) =>
    claimOf(path, label || path, meaning),
  );
  const claims = derived.map(({ name: path, condition }) => claimOf(path, condition, ''));
  const about = description || title;
  return {
    vct: vctOf(credential, publicUrl),
    name,
    description: about,
    display: [{ locale: LOCALE, name, description: about }],
    claims: [...points, ...claims],
  };
}

const claimOf = (name: string, label: string, description: string): TypeClaim => ({
  path: name.split('.'),
  display: [{ locale: LOCALE, label, ...(description === '' ? {} : { description }) }],
  sd: 'always',
});
