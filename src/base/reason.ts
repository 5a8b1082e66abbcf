// Reasons: what an error of the system, of TLS, of DNS or of a server means, and what to do about it, for operators. The text has the code
// and nothing else of the error, so that it may be shown to everybody.
import { getSystemErrorName } from 'node:util';

/** Why something failed. */
export interface Reason {
  /** The code of the error: `ENOTFOUND`, `CERT_HAS_EXPIRED`, … */
  code: string;
  /** What it means, without a full stop, with the code: `the host name is unknown (ENOTFOUND)`. */
  says: string;
  /** The one thing to do, a sentence. */
  mend?: string;
}

const AUTHORITY = 'Give that server a certificate of a public authority, or name its authority in NODE_EXTRA_CA_CERTS.';
const CHAIN = 'Let that server send its intermediate certificates, or name its authority in NODE_EXTRA_CA_CERTS.';
const NAME = "Correct the host name, or this machine's name server.";
const REACH = 'Let the network pass: a firewall, a proxy or a route is in the way, or the server is down.';
const FILES = 'Raise the limit of open files (LimitNOFILE, ulimit -n).';

const KNOWN: Record<string, readonly [says: string, mend: string]> = {
  CERT_HAS_EXPIRED: ["the server's certificate has expired", "Renew that server's certificate."],
  CERT_NOT_YET_VALID: [
    "the server's certificate is not valid yet",
    "Correct this machine's clock, or the certificate.",
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["the server's certificate is self-signed", AUTHORITY],
  SELF_SIGNED_CERT_IN_CHAIN: ["the chain of the server's certificate has a self-signed one", AUTHORITY],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["the issuer of the server's certificate is unknown", CHAIN],
  UNABLE_TO_GET_ISSUER_CERT: ["the issuer of the server's certificate is unknown", CHAIN],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ["the issuer of the server's certificate is unknown", CHAIN],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "the server's certificate is for another name",
    'Use the name that the certificate has, or renew the certificate for this one.',
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    'the server speaks no TLS at this port',
    'Correct the port, or the scheme of the address.',
  ],
  EPROTO: [
    'the server speaks no TLS that fits',
    'Correct the port or the scheme of the address, or update the server.',
  ],
  ENOTFOUND: ['the host name is unknown', NAME],
  EAI_AGAIN: ['the name server does not respond', NAME],
  ENODATA: ['the host name has no address', NAME],
  ECONNREFUSED: ['the connection is refused', 'Start the server there, or correct host and port.'],
  ECONNRESET: ['the connection is cut', REACH],
  EPIPE: ['the connection is cut', REACH],
  ECONNECTION: ['the connection is cut', REACH],
  ETIMEDOUT: ['it does not respond in time', REACH],
  ESOCKETTIMEDOUT: ['it does not respond in time', REACH],
  EHOSTUNREACH: ['there is no way to the host', REACH],
  ENETUNREACH: ['there is no way to the network', REACH],
  EAUTH: ['user or password is refused', 'Correct the user and the password in the address.'],
  EENVELOPE: ['the server refuses sender or recipient', 'Correct MAIL_FROM, or let the server accept it.'],
  EMESSAGE: ['the server refuses the mail', 'Ask whoever runs the mail server for its reason.'],
  EACCES: ['the file may not be read or written by this user', 'Correct its owner or its mode.'],
  EPERM: ['the operation is not permitted to this user', 'Correct its owner or its mode.'],
  EROFS: ['the file system is read-only', 'Mount it for writing.'],
  ENOSPC: ['the disk is full', 'Make room on it.'],
  EDQUOT: ['the quota of the disk is used up', 'Make room on it, or raise the quota.'],
  EMFILE: ['the process has too many open files', FILES],
  ENFILE: ['the machine has too many open files', FILES],
};

/** The reason of an error, from its code, or from those of its causes; undefined if none of them has a code. */
export function reasonOf(thrown: unknown): Reason | undefined {
  const codes = codesOf(thrown);
  const known = codes.find((code) => Object.hasOwn(KNOWN, code));
  const row = known === undefined ? undefined : KNOWN[known];
  if (known !== undefined && row !== undefined) return { code: known, says: `${row[0]} (${known})`, mend: row[1] };
  const [code] = codes;
  return code === undefined ? undefined : { code, says: code };
}

/** How deep causes are followed. */
const MAX_DEPTH = 8;
/** Codes that are names: others could be a text of somebody else. */
const CODE = /^[A-Z][A-Z0-9_]{2,60}$/;

const isCode = (code: unknown): code is string => typeof code === 'string' && CODE.test(code);

const systemName = (errno: unknown): string | undefined =>
  typeof errno === 'number' && Number.isInteger(errno) && errno < 0 ? getSystemErrorName(errno) : undefined;

/** The codes of an error and of what is behind it, outermost first. */
function codesOf(thrown: unknown, depth = 0): string[] {
  if (typeof thrown !== 'object' || thrown === null || depth > MAX_DEPTH) return [];
  const { code, errno, cause, errors } = thrown as {
    code?: unknown;
    errno?: unknown;
    cause?: unknown;
    errors?: unknown;
  };
  // Nodemailer replaces the code of a socket's error, and keeps its number.
  const own = [code === 'ESOCKET' ? systemName(errno) : undefined, code].filter(isCode);
  const inner = Array.isArray(errors) ? errors.slice(0, MAX_DEPTH) : [];
  return [...own, ...codesOf(cause, depth + 1), ...inner.flatMap((error) => codesOf(error, depth + 1))];
}
