// The collection of partners: their keys and what they may do (contract §3, §7).
import { type Connection, type Model, Schema } from 'mongoose';
import type { Scope } from '../base/callers/caller.js';
import type { WrittenGasPolicy } from './gas-policy-types.js';

/** A stored public signing key, with only the members that are used. */
export type PartnerJwk = {
  kty: 'RSA' | 'EC';
  kid: string;
  alg?: string;
  use?: string;
  crv?: string;
  x?: string;
  y?: string;
  n?: string;
  e?: string;
};

/** One partner. */
export interface PartnerRow {
  /** partnerId, a UUID in lower case. */
  _id: string;
  name: string;
  /** URL of the published key set; null when `jwks` has the keys. */
  jwksUri: string | null;
  /** The key set itself, or null when it is published at jwksUri. */
  jwks: PartnerJwk[] | null;
  scopes: Scope[];
  /** Issuers it may issue for. */
  issuerDids: string[];
  issueOnBehalf: boolean;
  /** Verifiers whose programs it may run. If absent or empty: all in the sandbox, none in production. */
  verifierIds?: string[];
  allowedOrigins: string[];
  requireTyp: boolean;
  /** Whether tokens must have a scope; absent in older records: true. */
  requireScope?: boolean;
  /** What it pays for its holders' gas; absent: the defaults. */
  gasPolicy?: WrittenGasPolicy;
  /** The fault of the published key set, for the operator; absent: it has none. */
  keySetProblem?: string;
  /** False after it is retired: its tokens are refused. */
  live: boolean;
  /** Grows with every change. Verdicts about tokens are valid for one version only. */
  version: number;
  etag: string;
  createdAt: Date;
  updatedAt: Date;
}

const partnerJwk = new Schema<PartnerJwk>(
  { kty: String, kid: String, alg: String, use: String, crv: String, x: String, y: String, n: String, e: String },
  { _id: false },
);

const partner = new Schema<PartnerRow>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    jwksUri: { type: String, default: null },
    jwks: { type: [partnerJwk], default: null },
    scopes: { type: [String], required: true },
    issuerDids: { type: [String], required: true },
    issueOnBehalf: { type: Boolean, required: true },
    verifierIds: { type: [String], default: undefined },
    allowedOrigins: { type: [String], required: true },
    requireTyp: { type: Boolean, required: true },
    requireScope: Boolean,
    gasPolicy: Schema.Types.Mixed,
    keySetProblem: String,
    live: { type: Boolean, required: true },
    version: { type: Number, required: true },
    etag: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'partners', versionKey: false },
);
partner.index({ live: 1, createdAt: -1, _id: -1 });
partner.index({ issuerDids: 1, _id: 1 });
partner.index({ allowedOrigins: 1, live: 1 });

/** The partner models on one connection. */
export interface PartnerModels {
  partners: Model<PartnerRow>;
}

/** Registers the partner models on a connection; builds no index (`migrate` does that). */
export function partnerModels(connection: Connection): PartnerModels {
  return { partners: connection.model<PartnerRow>('Partner', partner) };
}
