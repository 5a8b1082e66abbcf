// Revocations by filter in GraphQL: the same functions as REST.
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { Caller } from '../../base/callers/caller.js';
import { parseInput } from '../../base/input.js';
import type { Idempotency } from '../../store/idempotency.js';
import { revocationFilter } from './filter.js';
import type { RevocationJobs } from './jobs.service.js';
import { callerOf } from './owner.js';
import type { RevocationPreviews } from './previews.js';
import { CONFIRM_ROUTE, confirmBody } from './request.js';
import {
  ConfirmRevocationInput,
  ConfirmRevocationPayload,
  PreviewRevocationInput,
  RevocationJobType,
  RevocationPreviewPayload,
} from './types.js';

interface RevocationContext {
  caller: Caller;
  services: { revocationPreviews: RevocationPreviews; revocationJobs: RevocationJobs; idempotency: Idempotency };
}

const textOf = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

@Resolver()
export class RevocationsResolver {
  @Query(() => RevocationJobType, {
    description: 'A revocation by filter. Partners with the scope issue get their own, operators any.',
  })
  revocationJob(
    @Arg('jobId', () => String, { description: 'Id of the revocation.' }) jobId: string,
    @Ctx() { services, caller }: RevocationContext,
  ) {
    return services.revocationJobs.find(caller, jobId);
  }

  @Mutation(() => RevocationPreviewPayload, {
    description:
      'Counts what a filter matches, and returns a token for revoking exactly that. Nothing is revoked yet. Partners with the scope issue can preview what they issued, operators anything.',
  })
  previewRevocation(
    @Arg('input', () => PreviewRevocationInput, { description: 'Which issuances.' }) input: PreviewRevocationInput,
    @Ctx() { services, caller }: RevocationContext,
  ) {
    callerOf(caller, 'previewRevocation');
    const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
    const members = Object.fromEntries(given.map(([name, value]) => [name, textOf(value)]));
    return services.revocationPreviews.preview(caller, parseInput(revocationFilter, members));
  }

  @Mutation(() => ConfirmRevocationPayload, {
    description: 'Starts the revocation of a preview, by its token. It runs in the background and cannot be undone.',
  })
  async confirmRevocation(
    @Arg('input', () => ConfirmRevocationInput, { description: 'Which preview.' }) input: ConfirmRevocationInput,
    @Ctx() { services, caller }: RevocationContext,
  ) {
    callerOf(caller, 'confirmRevocation');
    const { idempotencyKey, token } = input;
    const body = parseInput(confirmBody, { token });
    const call = { caller, route: CONFIRM_ROUTE, key: idempotencyKey ?? undefined, body };
    const jobId = await services.idempotency.run<string>(call, (remember) =>
      services.revocationJobs.start(caller, body.token, remember),
    );
    return { job: await services.revocationJobs.find(caller, jobId) };
  }
}
