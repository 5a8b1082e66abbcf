// Mails transaction codes to the recipients of offers: after an offer is stored, so that nobody gets the code of an offer that does not exist.
import type { HolderRow, Holders } from '../holders/holders.service.js';
import type { CodePurpose, LoginMail } from '../holders/mail.service.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';

export interface OfferMailsOptions {
  holders: Holders;
  mail: LoginMail;
  limits: RateLimits;
}

/** Mails to one person, from all partners together. */
const BY_HOLDER: RateLimit = { name: 'offer mails by holder', max: 30, seconds: 600, what: 'mailed codes' };

/** Mails codes. */
export class OfferMails {
  constructor(private readonly options: OfferMailsOptions) {}

  /** Counts a mail, before its offer is stored. @throws DomainError RATE_LIMITED; STORE_UNAVAILABLE if no mail can be queued. */
  async requireRoom(holderId: string): Promise<void> {
    const { mail, limits } = this.options;
    mail.requireRoom();
    await limits.count([BY_HOLDER, holderId]);
  }

  /** Queues a code. @throws DomainError STORE_UNAVAILABLE if the queue is full meanwhile: a repeat of the offer mails another code. */
  send(holder: HolderRow, txCode: string, purpose: CodePurpose): Promise<void> {
    const { holders, mail } = this.options;
    return mail.sendCode(holders.emailOf(holder), txCode, purpose);
  }
}
