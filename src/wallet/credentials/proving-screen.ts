// The screens of a verification: what is proven, to whom, and what that discloses; or what is not met, and what the page then learns.
import type { ConsentScreen } from '../../sdk/core/screens.js';
import type { ProofTerms } from '../../zk/holder.js';
import { type Consents, consentsOf } from '../texts-consents.js';
import { conditionsInWords, valueInWords, type Wording } from './conditions-in-words.js';

interface ShownBy {
  locale(): string;
  partner: { name: string };
}

/** What a verification asks for (`VerificationRequest`). */
interface Asked {
  program: { name: string; verifierName: string; verifierDid: string; cak: boolean };
  accepted: readonly AskedCredential[];
}

interface AskedCredential {
  credentialId: string;
  name: string;
  issuerName: string;
  conditions: ProofTerms['conditions'];
  fields: readonly { name: string; title: string }[];
}

/** The credential that is proven, or comes closest to it (`Held`). */
interface Shown {
  explanation: { credentialId: string; conditions: readonly { met: boolean }[] };
}

/** The holder's claims of accepted credentials (`VerificationRequest.candidates`). */
type Claims = readonly { credentialId: string; vcStatus: string }[];

const ENDS = { EXPIRE: 'Expired', WAIT_REMOVE: 'Revoking', REMOVE: 'Revoked' } as const;
type Ended = keyof typeof ENDS;
const endOf = ({ vcStatus }: { vcStatus: string }): Ended | undefined =>
  Object.hasOwn(ENDS, vcStatus) ? (vcStatus as Ended) : undefined;

const verifierOf = ({ program }: Asked): string => `${program.verifierName} (${program.verifierDid})`;

const acceptedOf = ({ accepted }: Asked, id: string): AskedCredential =>
  accepted.find(({ credentialId }) => credentialId === id) ?? {
    ...{ credentialId: id, name: id, issuerName: '', conditions: [], fields: [] },
  };

const titleIn = ({ fields }: AskedCredential, field: string): string =>
  fields.find(({ name }) => name === field)?.title || field;

const wordingOf = ({ locale }: ShownBy): Wording => ({ texts: consentsOf(locale()).comparison, locale: locale() });

/** The conditions on a credential in words, in the order of its explanation. */
const wordsOf = (parts: ShownBy, credential: AskedCredential): string[] =>
  credential.conditions.flatMap((form) => conditionsInWords(wordingOf(parts), form, titleIn(credential, form.field)));

/** The screen that shows what is proven, to whom, and what that discloses. */
export function provingScreen(parts: ShownBy, request: Asked, held: Shown): ConsentScreen {
  const { program } = request;
  const { name: partnerName } = parts.partner;
  const { verify: texts } = consentsOf(parts.locale());
  const credential = acceptedOf(request, held.explanation.credentialId);
  const disclosed = credential.conditions.flatMap(({ field, family, equals, outside }) => {
    const title = titleIn(credential, field);
    if (equals !== undefined) return [texts.value(title, valueInWords(wordingOf(parts), equals, family))];
    return outside === undefined ? [] : [texts.side(title)];
  });
  const asked = wordsOf(parts, credential);
  const always = asked.length === 0 ? texts.onlyHeld : texts.nothing;
  const { verifierName } = program;
  return {
    kind: 'consent',
    partnerName,
    title: texts.title(program.name),
    facts: [
      { name: texts.verifier, value: verifierOf(request) },
      { name: texts.credential, value: texts.of(credential.name, credential.issuerName) },
      ...(asked.length === 0 ? [] : [{ name: texts.conditions, value: asked.join('\n') }]),
      { name: texts.disclosed, value: [always, ...disclosed, texts.later(partnerName)].join('\n') },
      ...(program.cak ? [{ name: texts.cakFact, value: texts.cakHolds(verifierName, credential.issuerName) }] : []),
    ],
    ...(program.cak ? { check: texts.cak(verifierName) } : {}),
    action: texts.action,
  };
}

/** What the page gets from a holder who proves nothing: as the gateway computes it of the same claims (contract §15). */
export function unmetStatus(claims: Claims): keyof Consents['unmet']['tells'] {
  if (claims.length === 0) return 'NotFound';
  const ends = claims.map(endOf);
  const first = (['EXPIRE', 'WAIT_REMOVE', 'REMOVE'] as const).find((end) => ends.includes(end));
  return first === undefined || ends.includes(undefined) ? 'Non-Compliant' : ENDS[first];
}

/** The screen that shows what is missing, which only the holder sees, and what the page learns after the click. */
export function unmetScreen(
  parts: ShownBy,
  request: Asked & { candidates: Claims },
  held: Shown | undefined,
  link: ConsentScreen['link'],
): ConsentScreen {
  const { verify, unmet: texts } = consentsOf(parts.locale());
  const { name: partnerName } = parts.partner;
  return {
    ...{ kind: 'consent', partnerName, title: texts.title(request.program.name), action: texts.action },
    hint: texts.tells[unmetStatus(request.candidates)](partnerName),
    facts: [
      { name: verify.verifier, value: verifierOf(request) },
      held
        ? { name: verify.conditions, value: missingIn(parts, request, held).join('\n') }
        : { name: texts.has, value: [...new Set(claimsInWords(parts, request))].join('\n') || texts.none },
    ],
    ...(link ? { link } : {}),
  };
}

function missingIn(parts: ShownBy, request: Asked, { explanation }: Shown): string[] {
  const words = wordsOf(parts, acceptedOf(request, explanation.credentialId));
  const { missing } = consentsOf(parts.locale()).unmet;
  return explanation.conditions.flatMap(({ met }, at) => (met ? [] : [missing(words[at] ?? '')]));
}

/** Why none of the holder's claims can be proven. */
function claimsInWords(parts: ShownBy, request: Asked & { candidates: Claims }): string[] {
  const { verify, unmet } = consentsOf(parts.locale());
  return request.candidates.map((claim) => {
    const { name, issuerName } = acceptedOf(request, claim.credentialId);
    const named = issuerName === '' ? name : verify.of(name, issuerName);
    const end = endOf(claim);
    return (end === undefined ? unmet.unusable : unmet.ends[end])(named);
  });
}
