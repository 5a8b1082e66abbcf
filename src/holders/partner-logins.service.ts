// The partners through which holders have logged in: a partner may act only for its own holders.
import type { ClientSession } from 'mongoose';
import type { HolderModels } from './models.js';

/** Records logins through partners. */
export class PartnerLogins {
  constructor(
    private readonly models: HolderModels,
    private readonly clock: () => number,
  ) {}

  /** Records a login, in the caller's transaction. */
  async remember(holderId: string, partnerId: string, session: ClientSession): Promise<void> {
    const now = new Date(this.clock());
    const change = { $set: { loggedInAt: now, updatedAt: now }, $setOnInsert: { holderId, partnerId } };
    await this.models.holderPartners.updateOne({ _id: `${holderId} ${partnerId}` }, change, { upsert: true, session });
  }

  /** Whether a holder has ever logged in through a partner. */
  async has(holderId: string, partnerId: string): Promise<boolean> {
    const { holderPartners, sessions } = this.models;
    const loggedIn = { _id: `${holderId} ${partnerId}`, loggedInAt: { $exists: true } };
    if (await holderPartners.exists(loggedIn)) return true;
    // Earlier versions did not record logins, but sessions that they opened last for a month.
    return (await sessions.exists({ holderId, partnerId })) !== null;
  }
}
