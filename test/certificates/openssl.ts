// An authority run by openssl, as an operator's own would be.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether openssl can be run here. */
export const HAS_OPENSSL = ((): boolean => {
  try {
    execFileSync('openssl', ['version']);
    return true;
  } catch {
    console.warn('openssl is not installed: what it judges is skipped.');
    return false;
  }
})();

export interface Signing {
  days?: number;
  /** Days until it is valid, negative for the past. */
  from?: number;
  extensions?: string;
}

/** A root, an intermediate authority, and the files of both. */
export interface TestAuthority {
  root: string;
  intermediate: string;
  /** The certificate for a request, by the intermediate authority. */
  sign(csr: string, signing?: Signing): string;
  /** A certificate that its own key has signed. */
  selfSigned(): string;
  /** Another authority below one. */
  below(): TestAuthority;
  /** What `openssl verify` says of a chain in PEM: the certificate, then those of authorities. */
  verify(chain: string, root?: string): string;
  close(): void;
}

const LEAF = 'basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n';
const AUTHORITY = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n';
const DAY_MS = 86_400_000;

/** Makes an authority in a folder of its own. */
export function startAuthority(): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'authority-'));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): string =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  let number = 0;
  const newRequest = (name: string): void => {
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${name}.key`);
    openssl('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`);
  };
  const date = (days: number): string =>
    new Date(Date.now() + days * DAY_MS).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  /** By `openssl ca`, which can set the beginning. */
  const signedBy = (
    authority: string,
    request: string,
    { days = 365, from = -1, extensions = LEAF }: Signing,
  ): string => {
    const id = `${++number}`;
    writeFileSync(at('ext.cnf'), `[x]\n${extensions}`);
    writeFileSync(at('index.txt'), '');
    writeFileSync(at('serial'), `10${id.padStart(4, '0')}\n`);
    const policy = '[p]\ncommonName=optional\n';
    writeFileSync(
      at('ca.cnf'),
      `[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\ncopy_extensions=copy\nunique_subject=no\n${policy}`,
    );
    openssl(
      ...['ca', '-batch', '-notext', '-config', 'ca.cnf', '-cert', `${authority}.pem`, '-keyfile', `${authority}.key`],
      ...['-in', request, '-startdate', date(from), '-enddate', date(days), '-extfile', 'ext.cnf', '-extensions', 'x'],
      ...['-out', `${id}.pem`],
    );
    return readFileSync(at(`${id}.pem`), 'utf8');
  };
  const newAuthority = (name: string, by: string): string => {
    newRequest(name);
    const pem = signedBy(by, `${name}.csr`, { days: 700, extensions: AUTHORITY });
    writeFileSync(at(`${name}.pem`), pem);
    return pem;
  };
  newRequest('root');
  writeFileSync(at('root.cnf'), AUTHORITY);
  openssl(
    'x509',
    '-req',
    '-in',
    'root.csr',
    '-signkey',
    'root.key',
    '-days',
    '800',
    '-extfile',
    'root.cnf',
    '-out',
    'root.pem',
  );
  const root = readFileSync(at('root.pem'), 'utf8');
  const authority = (name: string, intermediate: string): TestAuthority => ({
    root,
    intermediate,
    sign(csr, signing = {}) {
      writeFileSync(at('request.csr'), csr);
      return signedBy(name, 'request.csr', signing);
    },
    selfSigned() {
      newRequest('own');
      openssl('x509', '-req', '-in', 'own.csr', '-signkey', 'own.key', '-days', '10', '-out', 'own.pem');
      return readFileSync(at('own.pem'), 'utf8');
    },
    below() {
      const below = `${name}-below`;
      return authority(below, newAuthority(below, name));
    },
    verify(chain, rootPem = root) {
      writeFileSync(at('verify-root.pem'), rootPem);
      writeFileSync(at('chain.pem'), chain);
      return openssl(
        'verify',
        '-x509_strict',
        '-CAfile',
        'verify-root.pem',
        '-untrusted',
        'chain.pem',
        'chain.pem',
      ).trim();
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  });
  return authority('intermediate', newAuthority('intermediate', 'root'));
}

/** A chain of `x5c` in PEM. */
export const pemOf = (x5c: readonly string[]): string =>
  x5c
    .map(
      (der) => `-----BEGIN CERTIFICATE-----\n${der.replaceAll(/(.{64})/g, '$1\n').trim()}\n-----END CERTIFICATE-----\n`,
    )
    .join('');
