// Type metadata of SD-JWT VC: what the claims of a type are called, and which are there.
import { type Credential, valuesAt } from './credential.js';
import { hasOnly, isObject, type Json, listOf, must, objectOf, textOf } from './faults.js';
import type { Path } from './sd-jwt.js';
import { addressOf, jsonOf, mustBe, send } from './strict-http.js';

const LANGUAGE_TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;

/** A claims path pointer: texts, places in a list, `null` for each element. */
export function pathOf(value: unknown, name: string): Path {
  return listOf(value, name).map((part) => {
    const isPlace = Number.isSafeInteger(part) && Number(part) >= 0;
    must(typeof part === 'string' || part === null || isPlace, `${name} has texts, places and null alone`);
    return part as string | number | null;
  });
}

/** Texts for people: one object for each language, which has these members. */
export function displaysOf(value: unknown, name: string, members: readonly string[]): Json[] {
  const displays = listOf(value, name).map((one) => objectOf(one, `a member of ${name}`));
  const locales = displays.map(({ locale }) => locale);
  must(new Set(locales).size === locales.length, `${name} has one object for each language`);
  for (const display of displays) {
    if (display.locale !== undefined) must(LANGUAGE_TAG.test(String(display.locale)), 'a locale is a language tag');
    for (const member of members) textOf(display[member], `${member} in ${name}`);
  }
  return displays;
}

/** Descriptions of claims, each with a path of its own. */
export function claimsOf(value: unknown, name: string): (Json & { path: Path })[] {
  const claims = listOf(value, name).map((one) => {
    const claim = objectOf(one, `a member of ${name}`);
    if (claim.mandatory !== undefined) must(typeof claim.mandatory === 'boolean', 'mandatory is true or false');
    return { ...claim, path: pathOf(claim.path, `the path in ${name}`) };
  });
  const paths = claims.map(({ path }) => JSON.stringify(path));
  must(new Set(paths).size === paths.length, `${name} describes each claim once`);
  return claims;
}

/** Fetches the type metadata of a credential, and checks the credential by it. */
export async function fetchTypeMetadata({ vct, claims, found }: Credential): Promise<Json> {
  const answer = await send(addressOf(vct, 'vct'));
  mustBe(answer, 200);
  const metadata = jsonOf(answer);
  must(metadata.vct === vct, 'the vct of type metadata is its address');
  hasOnly(
    metadata,
    ['vct', 'name', 'description', 'extends', 'extends#integrity', 'display', 'claims'],
    'type metadata',
  );
  if (metadata.display !== undefined) displaysOf(metadata.display, 'display', ['locale', 'name']);
  if (metadata.claims === undefined) return metadata;
  for (const claim of claimsOf(metadata.claims, 'claims')) {
    hasOnly(claim, ['path', 'display', 'mandatory', 'sd', 'svg_id'], 'a claim of type metadata');
    if (claim.display !== undefined) displaysOf(claim.display, 'display of a claim', ['locale', 'label']);
    const isThere = valuesAt(claims, claim.path).length > 0;
    must(claim.mandatory !== true || isThere, `the claim ${claim.path.join('.')} is mandatory, and there`);
    const isDisclosure = found.some(({ path }) => JSON.stringify(path) === JSON.stringify(claim.path));
    must(claim.sd === undefined || ['always', 'allowed', 'never'].includes(String(claim.sd)), 'sd is one of three');
    if (isThere && claim.sd === 'always') must(isDisclosure, `${claim.path.join('.')} is a disclosure`);
    if (isThere && claim.sd === 'never') must(!isDisclosure, `${claim.path.join('.')} is no disclosure`);
  }
  must(isObject(metadata), 'type metadata is an object');
  return metadata;
}
