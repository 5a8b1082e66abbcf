// Certificates (X.509) of signing keys: of managed issuers, of verifiers, and of the sandbox's own authority.
import { type Connection, type Model, Schema } from 'mongoose';

/** The certificate of one signing key; a new one for the same key replaces it. */
export interface CertificateRow {
  /** The `kid` of the key. */
  _id: string;
  /** The owner of the key (keys/signing-keys.ts). */
  owner: string;
  /**
   * The certificate, then those of its issuers without the root: DER in base64, as in `x5c` (RFC 7515 §4.1.6). For an
   * authority: only the root.
   */
  chain: string[];
  /** Distinguished name of the certificate's subject. */
  subject: string;
  notBefore: Date;
  notAfter: Date;
  /** SHA-256 of the certificate, hex. */
  sha256: string;
  /** Whether the sandbox's authority has signed it. Such a certificate is renewed before it expires. */
  ofSandbox: boolean;
}

const certificate = new Schema<CertificateRow>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    chain: { type: [String], required: true },
    subject: { type: String, required: true },
    notBefore: { type: Date, required: true },
    notAfter: { type: Date, required: true },
    sha256: { type: String, required: true },
    ofSandbox: { type: Boolean, required: true },
  },
  { collection: 'certificates', versionKey: false },
);
certificate.index({ owner: 1 });
certificate.index({ notAfter: 1 });

export interface CertificateModels {
  certificates: Model<CertificateRow>;
}

/** Registers the model on a connection. */
export function certificateModels(connection: Connection): CertificateModels {
  return { certificates: connection.model<CertificateRow>('Certificate', certificate) };
}
