// What the gateway stores of links to another partner's page.
import { type Connection, type Model, Schema } from 'mongoose';

/** A link that logs a holder in at another partner's page, once. */
export interface PartnerLinkRow {
  /** SHA-256 of the code, in hex. */
  _id: string;
  holderId: string;
  /** The session that made it. */
  sessionId: string;
  /** The partner of that session, and the one whose page the link leads to. */
  sourcePartnerId: string;
  partnerId: string;
  /** The origin of that page. */
  origin: string;
  expiresAt: Date;
}

const text = { type: String, required: true } as const;

const partnerLink = new Schema<PartnerLinkRow>(
  {
    _id: text,
    holderId: text,
    sessionId: text,
    sourcePartnerId: text,
    partnerId: text,
    origin: text,
    expiresAt: { type: Date, required: true },
  },
  { collection: 'partnerLinks', versionKey: false },
);
partnerLink.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
partnerLink.index({ holderId: 1 });

/** Registers the model on a connection. */
export const partnerLinkModel = (connection: Connection): Model<PartnerLinkRow> =>
  connection.model<PartnerLinkRow>('PartnerLink', partnerLink);
