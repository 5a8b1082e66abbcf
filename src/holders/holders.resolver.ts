// Holders in GraphQL: a partner resolves a recipient, a holder reads its own data. They call the same functions as REST.

import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { z } from 'zod';
import type { Caller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { parseInput } from '../base/input.js';
import { requireHolder, requireHolderOrPage, requirePartner } from '../base/callers/rights.js';
import { emailText, partnerUserIdText } from './email.js';
import type { HolderKeys } from './holder-keys.js';
import type { Holders } from './holders.service.js';
import type { Recipients } from './recipients.js';
import { InitializeUserInput, InitializeUserPayload, Me, SetSigningKeyInput, SetSigningKeyPayload } from './types.js';

interface HoldersContext {
  caller: Caller;
  services: { holders: Holders; holderKeys: HolderKeys; recipients: Recipients };
}

const signingKeyInput = z.object({ jwk: z.record(z.string(), z.unknown()) });
const recipientInput = z.object({ email: emailText, partnerUserId: partnerUserIdText.nullish() });

@Resolver()
export class HoldersResolver {
  @Query(() => Me, { description: 'The data of the holder who is logged in. Needs a session token or a page token.' })
  me(@Ctx() { caller, services }: HoldersContext) {
    if (caller.kind === 'holder' || caller.kind === 'page')
      return services.holders.details(requireHolderOrPage(caller));
    if (caller.kind === 'anonymous') throw new DomainError('UNAUTHENTICATED', 'This needs a session token.');
    throw new DomainError('FORBIDDEN', 'Only holders may ask this.');
  }

  @Mutation(() => InitializeUserPayload, {
    description:
      'Resolves the recipient of a credential. An unknown e-mail address gets a DID and a key. Needs the scope "issue".',
  })
  async initializeUser(
    @Arg('input', () => InitializeUserInput) input: InitializeUserInput,
    @Ctx() { caller, services }: HoldersContext,
  ) {
    requirePartner(caller, 'initializeUser');
    const { email, partnerUserId } = parseInput(recipientInput, { ...input });
    return {
      recipient: await services.recipients.initializeUser(caller, { email, partnerUserId: partnerUserId ?? undefined }),
    };
  }

  @Mutation(() => SetSigningKeyPayload, {
    description: "Registers the holder's public signing key, to which issuers bind credentials.",
  })
  async setSigningKey(
    @Arg('input', () => SetSigningKeyInput) input: SetSigningKeyInput,
    @Ctx() { caller, services }: HoldersContext,
  ) {
    const holder = requireHolder(caller);
    const { jwk } = parseInput(signingKeyInput, { ...input });
    return { jwk: await services.holderKeys.setSigningKey(holder, jwk) };
  }
}
