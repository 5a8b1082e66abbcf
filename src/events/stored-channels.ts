// The channels that an event is stored with, by which subscriptions find it.
import { PUBLIC_CHANNEL } from '../graphql/subscriptions/topic.js';
import type { NewEvent } from '../store/event-port.js';

/** The channels that an event is stored with: `channelsOf` the stamped row, without the channel of all events. */
export function storedChannels({ viewers, payload }: Pick<NewEvent, 'viewers' | 'payload'>, status: boolean): string[] {
  const { coreClaimHash, jobId, credentialIds } = payload;
  const traction = Array.isArray(credentialIds) ? credentialIds.map((id) => `traction:${id}`) : [];
  return [
    ...(viewers.partnerId === undefined ? [] : [`partner:${viewers.partnerId}`]),
    ...(viewers.holderId === undefined ? [] : [`holder:${viewers.holderId}`]),
    ...(viewers.public ? [PUBLIC_CHANNEL] : []),
    ...(viewers.public && traction.length === 0 ? ['catalog'] : traction),
    ...(status && typeof coreClaimHash === 'string' ? [`status:${coreClaimHash}`] : []),
    ...(typeof jobId === 'string' ? [`batch:${jobId}`] : []),
  ];
}
