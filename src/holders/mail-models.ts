// What the sandbox's mailbox stores.
import { type Connection, type Model, Schema } from 'mongoose';
import type { Retained } from '../store/retention.js';

/** A mail in the sandbox's mailbox. */
export interface MailRow extends Retained {
  _id: string;
  emailHash: string;
  /** JSON of the message, encrypted for `{what: 'mailbox', whose: _id}`. */
  sealed: string;
  sentAt: Date;
  expiresAt: Date;
}

const mail = new Schema<MailRow>(
  {
    _id: { type: String, required: true },
    emailHash: String,
    sealed: String,
    sentAt: Date,
    expiresAt: Date,
    retentionMs: Number,
  },
  { collection: 'sandboxMails', versionKey: false },
);
mail.index({ emailHash: 1, sentAt: 1, _id: 1 });
mail.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Registers the model on a connection. */
export const mailModel = (connection: Connection): Model<MailRow> => connection.model<MailRow>('SandboxMail', mail);
