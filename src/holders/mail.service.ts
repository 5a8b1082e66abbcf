// Sends mails, with codes for logins and for offers to wallets, and with notices, by SMTP; in the sandbox, also stores them sealed in a mailbox for a
// short time (contract §4.5).
import { Socket } from 'node:net';
import { Types } from 'mongoose';
import type { createTransport } from 'nodemailer';
import { DomainError } from '../base/errors.js';
import type { ProblemReport } from '../base/monitoring/problems.js';
import type { SealedBox } from '../keys/sealed-box.js';
import { emailHash, emailHashes } from './email.js';
import type { MailRow } from './mail-models.js';
import type { HolderModels } from './models.js';
import { MailQueue, type MailQueueOptions } from './mail-queue.js';

/** A mail in the sandbox's mailbox. */
export interface SentMail {
  to: string;
  subject: string;
  /** Null: a notice, which has none. */
  code: string | null;
  /** What a notice says. */
  text?: string;
  /** ISO 8601. */
  sentAt: string;
}

export interface MailOptions {
  models: Pick<HolderModels, 'mails'>;
  box: SealedBox;
  /** Undefined: no SMTP server; only allowed in the sandbox. */
  smtpUrl?: string;
  /** Sender of the mails. */
  from: string;
  /** The sandbox stores every mail in its mailbox. */
  sandbox: boolean;
  /** How long mails are stored there, milliseconds. */
  retentionMs: number;
  clock(): number;
  /** Receives a report if mails cannot be sent. */
  problems: ProblemReport;
  /** The time of an attempt, and the delays between attempts; by default the queue's own. */
  attempts?: Pick<MailQueueOptions<never>, 'attemptMs' | 'delays'>;
}

/** What a code is for, as its mail says. Nobody must take one for the other: a wallet asks for the code of an offer. */
export type CodePurpose = { for: 'login' } | { for: 'offer'; issuer: string; expiresAt: Date };

/** A mail without its address. */
export interface MailWords {
  subject: string;
  text: string;
}

function wordsOf(purpose: CodePurpose, code: string): MailWords {
  if (purpose.for === 'login')
    return {
      subject: 'Your login code',
      text: `Your login code is ${code}. It is good for ten minutes. If you did not ask for it, ignore this mail.\n`,
    };
  const until = `${purpose.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return {
    subject: 'Your code for a credential',
    text:
      `${purpose.issuer} offers you a credential. The code that your wallet asks for, after it has opened the offer, is ${code}. ` +
      `It is good until ${until}. If you do not expect a credential, ignore this mail.\n`,
  };
}

const MAX_SHOWN = 100;
const RETRY_AFTER_S = 60;
const SMTP_TIMEOUT_MS = 10_000;
/** Time limits of each step of an attempt, for servers that accept the connection and do not respond. */
const TIMEOUTS = {
  dnsTimeout: SMTP_TIMEOUT_MS,
  connectionTimeout: SMTP_TIMEOUT_MS,
  greetingTimeout: SMTP_TIMEOUT_MS,
  socketTimeout: SMTP_TIMEOUT_MS,
};

/** Time limit of a whole conversation, for servers that respond slowly, line by line. */
const VERIFY_MS = 30_000;

type QueuedMail = MailWords & { to: string };
type Transport = ReturnType<typeof createTransport>;

/** The library is loaded where there is a mail server; sandboxes have none. */
async function transportTo(options: Parameters<typeof createTransport>[0]): Promise<Transport> {
  return (await import('nodemailer')).createTransport(options);
}

/**
 * Why a mail server does not respond, or does not accept the user and password of its address; undefined if it does.
 * @param withinMs time limit of the whole conversation
 */
export async function mailServerFault(smtpUrl: string, withinMs = VERIFY_MS): Promise<unknown> {
  const socket = new Socket();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    socket.destroy();
  }, withinMs);
  // A socket that was destroyed before it was used connects nevertheless.
  socket.on('connect', () => isOver && socket.destroy());
  try {
    await (await transportTo({ url: smtpUrl, socket, ...TIMEOUTS })).verify();
    return undefined;
  } catch (fault) {
    return isOver ? Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }) : fault;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Sends codes and notices. */
export class LoginMail {
  readonly #transport: Promise<Transport> | undefined;
  readonly #queue: MailQueue<QueuedMail> | undefined;

  constructor(private readonly options: MailOptions) {
    const { smtpUrl, problems, attempts } = options;
    if (smtpUrl === undefined) return;
    const transport = transportTo({ url: smtpUrl, pool: true, ...TIMEOUTS });
    this.#transport = transport;
    this.#queue = new MailQueue({
      send: async (mail, signal) => (await transport).sendMail({ ...this.#messageOf(mail), signal }),
      problems,
      ...attempts,
    });
  }

  /** For writes that a mail follows. @throws DomainError STORE_UNAVAILABLE if no mail can be queued now. */
  requireRoom(): void {
    if (this.#queue === undefined && !this.options.sandbox) throw unsent('No mail server is configured.');
    if (this.#queue?.isFull) throw unsent('Mails cannot be sent right now; try again later.');
  }

  /**
   * Queues a code and does not wait until it is sent. @throws DomainError STORE_UNAVAILABLE if there is no mail server, or too many mails wait.
   */
  async sendCode(to: string, code: string, purpose: CodePurpose = { for: 'login' }): Promise<void> {
    this.requireRoom();
    const { subject, text } = wordsOf(purpose, code);
    await this.#keep({ to, subject, code });
    this.#put({ to, subject, text });
  }

  /** Queues a notice. @throws DomainError as `sendCode`. */
  async sendNotice(to: string, { subject, text }: MailWords): Promise<void> {
    await this.#keep({ to, subject, code: null, text });
    this.#put({ to, subject, text });
  }

  #put(mail: QueuedMail): void {
    if (this.#queue?.put(mail) === false) throw unsent('Mails cannot be sent right now; try again later.');
  }

  /** The mails to an address, oldest first. @throws DomainError NOT_FOUND outside the sandbox. */
  async mailbox(email: string): Promise<SentMail[]> {
    const { models, box, sandbox } = this.options;
    if (!sandbox) throw new DomainError('NOT_FOUND', 'The mailbox is part of the sandbox.');
    const rows = await models.mails
      .find({ emailHash: { $in: emailHashes(box, email) }, expiresAt: { $gt: this.#now() } })
      .sort({ sentAt: 1, _id: 1 })
      .limit(MAX_SHOWN)
      .lean<MailRow[]>();
    return rows.map(
      ({ _id, sealed }) => JSON.parse(box.unsealText(sealed, { what: 'mailbox', whose: _id })) as SentMail,
    );
  }

  /** Stops sending and closes the connections to the mail server. Returns how many mails were not sent. */
  close(): number {
    const unsent = this.#queue?.size ?? 0;
    this.#queue?.close();
    void this.#transport?.then((transport) => transport.close());
    return unsent;
  }

  #messageOf({ to, subject, text }: QueuedMail) {
    return { from: this.options.from, to: { name: '', address: to }, subject, text };
  }

  /** In the sandbox. */
  async #keep(words: Omit<SentMail, 'sentAt'>): Promise<void> {
    const { models, box, retentionMs, sandbox } = this.options;
    if (!sandbox) return;
    // Ids of one process increase, so mails of the same millisecond stay in order.
    const _id = new Types.ObjectId().toHexString();
    const sentAt = this.#now();
    const mail: SentMail = { ...words, sentAt: sentAt.toISOString() };
    await models.mails.create([
      {
        _id,
        emailHash: emailHash(box, mail.to),
        sealed: box.seal(JSON.stringify(mail), { what: 'mailbox', whose: _id }),
        sentAt,
        expiresAt: new Date(sentAt.getTime() + retentionMs),
        retentionMs,
      },
    ]);
  }

  #now(): Date {
    return new Date(this.options.clock());
  }
}

function unsent(message: string): DomainError {
  return new DomainError('STORE_UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S });
}
