// /v1/why: what allows or forbids an operation. A POST, because a token does not belong into an address.
import { type AnyRoute, route } from '../http/routes/route.js';
import { listOf, named, object, oneOf, orNull, TEXT } from '../http/routes/shapes.js';
import { type WhyQuestion, whyBody } from './question.js';
import type { Why } from './why.js';

const VERDICT = oneOf('ALLOWED', 'FORBIDDEN', 'UNKNOWN');
const WHY = named(
  'Why',
  object({
    operation: TEXT,
    partnerId: orNull(TEXT),
    checks: listOf(object({ rule: TEXT, verdict: VERDICT, sentence: TEXT, mend: orNull(TEXT) })),
    verdict: VERDICT,
    sentence: TEXT,
  }),
);

/** The route of explanations. */
export function whyRoutes({ why }: { why: Why }): AnyRoute[] {
  return [
    route<unknown, unknown, WhyQuestion>({
      method: 'POST',
      path: '/v1/why',
      summary: 'What allows or forbids an operation of a partner',
      auth: ['partner', 'operator'],
      body: whyBody,
      answers: { 200: WHY },
      handle: async ({ caller, body }) => ({ body: await why.explain(caller, body) }),
    }),
  ];
}
