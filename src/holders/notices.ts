// Tells holders by mail what was changed for them: whoever has their mailbox or a session of theirs cannot do it unnoticed. One mail for each
// change; a repeated request changes nothing, and mails nothing.
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { Holders } from './holders.service.js';
import type { HolderRow } from './models.js';
import type { LoginMail, MailWords } from './mail.service.js';

/** What was changed. */
export type Notice = 'account' | 'passkey' | 'passkey removed' | 'recovery code' | 'reset';

const WHAT: Readonly<Record<Notice, { subject: string; what: string }>> = {
  account: { subject: 'A new account is registered', what: 'a new account was registered for you' },
  passkey: { subject: 'A new passkey', what: 'a passkey was added, which opens your keys' },
  'passkey removed': { subject: 'A passkey was removed', what: 'one of your passkeys was removed' },
  'recovery code': {
    subject: 'A new recovery code',
    what: 'your recovery code was changed; an earlier one opens nothing any more',
  },
  reset: {
    subject: 'Your passkeys were reset',
    what: "your passkeys and your key backup were removed by the gateway's operator",
  },
};

export interface NoticesParts {
  holders: Pick<Holders, 'emailOf'>;
  partners: Pick<PartnerDirectory, 'find'>;
  mail: LoginMail;
  /** The address that clients use. */
  publicUrl: string;
  clock(): number;
  onError(error: unknown): void;
}

/** Mails notices to holders. */
export class Notices {
  constructor(private readonly parts: NoticesParts) {}

  /** Before a change. @throws DomainError STORE_UNAVAILABLE if no mail can be queued now: nothing is changed unnoticed. */
  requireRoom(): void {
    this.parts.mail.requireRoom();
  }

  /**
   * After a change, which it does not undo. @param partnerId the partner of the session; undefined: an operator did it
   */
  async send(notice: Notice, holder: HolderRow, partnerId?: string): Promise<void> {
    const { holders, partners, mail, onError } = this.parts;
    try {
      const partner = partnerId === undefined ? undefined : await partners.find(partnerId);
      await mail.sendNotice(holders.emailOf(holder), this.#wordsOf(notice, partner?.name));
    } catch (error) {
      onError(error);
    }
  }

  #wordsOf(notice: Notice, partnerName: string | undefined): MailWords {
    const { publicUrl, clock } = this.parts;
    const { subject, what } = WHAT[notice];
    const at = `${new Date(clock()).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const where = partnerName === undefined ? '' : ` at ${partnerName}`;
    const { host } = new URL(publicUrl);
    const mend =
      notice === 'reset'
        ? `If you did not ask for it, write to the operator of ${host} now. The next time that you use your keys, you make a new way into them.`
        : `If it was not you: log in, open your passkeys, remove those that you do not know, and make a new recovery code. If you cannot, ask the operator of ${host} to reset your passkeys.`;
    return { subject, text: `On ${at}${where}, ${what}. If it was you, there is nothing to do. ${mend}\n` };
  }
}
