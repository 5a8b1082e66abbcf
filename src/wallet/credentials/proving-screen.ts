// The screen on which a user consents to a proof: what is asked, by whom, and what that discloses.
import type { ConsentScreen } from '../../sdk/core/screens.js';
import type { ProofTerms } from '../../zk/holder.js';
import type { Texts } from '../texts.js';

interface ShownBy {
  texts(): Texts;
  partner: { name: string };
}

/** What a verification asks for (`VerificationRequest`). */
interface Asked {
  program: { name: string; verifierName: string; verifierDid: string; cak: boolean };
  accepted: {
    credentialId: string;
    name: string;
    issuerName: string;
    conditions: ProofTerms['conditions'];
    fields: { name: string; title: string }[];
  }[];
}

/** The credential that is proven (`Held`). */
interface Shown {
  explanation: { credentialId: string; conditions: readonly { condition: string }[] };
}

/** The screen that shows what is proven, to whom, and what that discloses. */
export function provingScreen(parts: ShownBy, { program, accepted }: Asked, held: Shown): ConsentScreen {
  const { verify: texts } = parts.texts();
  const { conditions, credentialId } = held.explanation;
  const {
    conditions: forms = [],
    fields = [],
    name = credentialId,
    issuerName = '',
  } = accepted.find((one) => one.credentialId === credentialId) ?? {};
  const disclosed = forms.flatMap(({ field, equals, outside }) => {
    const title = fields.find((one) => one.name === field)?.title || field;
    if (equals !== undefined) return [texts.value(title, String(equals))];
    return outside === undefined ? [] : [texts.side(title)];
  });
  const asked = conditions.map(({ condition }) => condition).join('\n');
  const nothing = asked === '' ? texts.onlyHeld : texts.nothing;
  return {
    kind: 'consent',
    partnerName: parts.partner.name,
    title: texts.title(program.name),
    facts: [
      { name: texts.verifier, value: `${program.verifierName} (${program.verifierDid})` },
      { name: texts.credential, value: texts.of(name, issuerName) },
      ...(asked === '' ? [] : [{ name: texts.conditions, value: asked }]),
      { name: texts.disclosed, value: disclosed.length > 0 ? disclosed.join('\n') : nothing },
    ],
    ...(program.cak ? { check: texts.cak(program.verifierName) } : {}),
    action: texts.action,
  };
}
