// Mail with login codes: through SMTP, and in the sandbox into a mailbox of its own, sealed and short-lived (contract §4.5).
import { Types } from 'mongoose';
import { createTransport } from 'nodemailer';
import { DomainError } from '../errors.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { HolderModels, MailRow } from './models.js';

/** A mail as the sandbox's mailbox shows it. */
export interface SentMail {
  to: string;
  subject: string;
  code: string;
  /** ISO 8601. */
  sentAt: string;
}

export interface MailOptions {
  models: Pick<HolderModels, 'mails'>;
  box: SealedBox;
  /** Undefined: no SMTP server; only the sandbox can do without. */
  smtpUrl?: string;
  /** Sender of the codes. */
  from: string;
  /** The sandbox keeps every mail in its mailbox. */
  sandbox: boolean;
  clock(): number;
}

const SUBJECT = 'Your login code';
const KEPT_MS = 15 * 60_000;
const MAX_SHOWN = 100;
const SMTP_TIMEOUT_MS = 10_000;

/** Sends login codes. */
export class LoginMail {
  readonly #transport: ReturnType<typeof createTransport> | undefined;

  constructor(private readonly options: MailOptions) {
    const timeouts = { connectionTimeout: SMTP_TIMEOUT_MS, socketTimeout: SMTP_TIMEOUT_MS };
    if (options.smtpUrl !== undefined)
      this.#transport = createTransport({ url: options.smtpUrl, pool: true, ...timeouts });
  }

  /** Sends a code. @throws DomainError STORE_UNAVAILABLE when there is no way to send it, or the mail server did not take it. */
  async sendCode(to: string, code: string): Promise<void> {
    if (this.#transport === undefined && !this.options.sandbox) throw unsent('No mail server is configured.');
    if (this.options.sandbox) await this.#keep({ to, subject: SUBJECT, code, sentAt: this.#now().toISOString() });
    await this.#transport
      ?.sendMail({
        from: this.options.from,
        to: { name: '', address: to },
        subject: SUBJECT,
        text: `Your login code is ${code}. It is good for ten minutes. If you did not ask for it, ignore this mail.\n`,
      })
      .catch((cause: unknown) => {
        throw unsent('The mail could not be sent right now; try again shortly.', codeOf(cause));
      });
  }

  /** The mails kept for an address, oldest first. @throws DomainError NOT_FOUND outside the sandbox. */
  async mailbox(email: string): Promise<SentMail[]> {
    const { models, box, sandbox } = this.options;
    if (!sandbox) throw new DomainError('NOT_FOUND', 'The mailbox is part of the sandbox.');
    const rows = await models.mails
      .find({ emailHash: box.blindIndex('holder-email', email), expiresAt: { $gt: this.#now() } })
      .sort({ sentAt: 1, _id: 1 })
      .limit(MAX_SHOWN)
      .lean<MailRow[]>();
    return rows.map(
      ({ _id, sealed }) => JSON.parse(box.unsealText(sealed, { what: 'mailbox', whose: _id })) as SentMail,
    );
  }

  /** Closes the connections to the mail server. */
  close(): void {
    this.#transport?.close();
  }

  async #keep(mail: SentMail): Promise<void> {
    const { models, box } = this.options;
    // Ids of one process grow: mails of the same millisecond stay in order.
    const _id = new Types.ObjectId().toHexString();
    const sentAt = this.#now();
    await models.mails.create([
      {
        _id,
        emailHash: box.blindIndex('holder-email', mail.to),
        sealed: box.seal(JSON.stringify(mail), { what: 'mailbox', whose: _id }),
        sentAt,
        expiresAt: new Date(sentAt.getTime() + KEPT_MS),
      },
    ]);
  }

  #now(): Date {
    return new Date(this.options.clock());
  }
}

/** Only the code: the mail server's words repeat the address, and causes are logged. */
function codeOf(cause: unknown): Error {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'unknown';
  return new Error(`the mail server did not take the mail: ${code}`);
}

function unsent(message: string, cause?: unknown): DomainError {
  return new DomainError('STORE_UNAVAILABLE', message, {}, { cause });
}
