// `doctor`: the configuration, the data folder, and the addresses that the gateway depends on.
import { existsSync, statfsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { portFault } from '../base/config/blocked-ports.js';
import type { Config } from '../base/config/config.js';
import { type DataDirError, dataDirFault, nearestFolder } from '../base/data-dir.js';
import { descriptorLimit } from '../base/monitoring/descriptors.js';
import { reasonOf } from '../base/reason.js';
import { mailServerFault } from '../holders/mail.service.js';
import { guardedFetch } from '../http/outbound/guarded-fetch.js';
import { GuardedFetchError } from '../http/outbound/guarded-fetch-error.js';
import { bad, type Finding, ok, warn } from './finding.js';

const MB = 1024 * 1024;
/** Free space of an embedded store's disk: a warning below the first value, bad below the second. */
const LITTLE_ROOM_MB = 1_024;
const NO_ROOM_MB = 100;
const TIMEOUT_MS = 5_000;
const FEW_DESCRIPTORS = 1_024;
/** Files that only their owner may read. */
const SECRET_FILES = ['operator.key', 'keystore.key'];
const FOR_OTHERS = 0o077;

/** Findings of the configuration: faults that prevent a start, and unusual settings. */
export function configurationFindings({ networkEnv, adminApiKey, smtpUrl, mongodbUri, port }: Config): Finding[] {
  const part = 'configuration';
  const fault = portFault(port);
  if (fault !== undefined) return [bad(part, `${fault}.`, 'Set this variable (docs/configuration.md).')];
  if (networkEnv === 'sandbox') return [ok(part, 'a sandbox: every variable has a value')];
  const findings = [
    adminApiKey === undefined &&
      warn(part, "There is no operator's key: the operator's API is closed.", 'Set ADMIN_API_KEY.'),
    smtpUrl === undefined && warn(part, 'Login by e-mail is not possible: codes cannot be sent.', 'Set SMTP_URL.'),
    mongodbUri === undefined &&
      warn(
        part,
        'The embedded store is only on this machine.',
        'Set MONGODB_URI to a replica set (docs/deployment.md).',
      ),
  ].filter((finding) => finding !== false);
  return findings.length > 0 ? findings : [ok(part, 'production: every variable has a value')];
}

/** How many files and connections a gateway that is started as this command was may have open. */
export function descriptorFinding(limit = descriptorLimit()): Finding {
  const part = 'descriptors';
  if (limit === Number.POSITIVE_INFINITY) return ok(part, 'files and connections are not limited');
  if (limit >= FEW_DESCRIPTORS) return ok(part, `a process may have ${limit} files and connections open`);
  return warn(
    part,
    `A process may have ${limit} files and connections open, which are few for a gateway.`,
    'Raise the limit: `ulimit -n 65536`, or LimitNOFILE=65536 in the systemd unit.',
  );
}

/** The fault of DATA_DIR that prevents a start, if the gateway uses the folder. */
export function folderFault({ mongodbUri, networkEnv, adminApiKey, keystoreKey, dataDir }: Config) {
  const ownSecrets = networkEnv === 'sandbox' && (adminApiKey === undefined || keystoreKey === undefined);
  return mongodbUri === undefined || ownSecrets ? dataDirFault(dataDir) : undefined;
}

/** Free space and permissions of DATA_DIR. */
export function folderFindings({ dataDir }: Config, fault: DataDirError | undefined): Finding[] {
  if (fault !== undefined)
    return [bad('data folder', fault.message, 'Follow the sentence above. Another DATA_DIR is an empty store.')];
  return [roomFinding(dataDir), ...SECRET_FILES.flatMap((name) => secretFindings(join(dataDir, name)))];
}

function roomFinding(dataDir: string): Finding {
  const part = 'data folder';
  const { bavail, bsize } = statfsSync(nearestFolder(resolve(dataDir)));
  const free = Math.floor((bavail * bsize) / MB);
  if (free < NO_ROOM_MB) return bad(part, `The disk of ${dataDir} has ${free} MB left.`, 'Make room on it.');
  if (free < LITTLE_ROOM_MB) return warn(part, `The disk of ${dataDir} has ${free} MB left.`, 'Make room on it.');
  return ok(part, `${dataDir} has ${Math.floor(free / 1_024)} GB left`);
}

function secretFindings(file: string): Finding[] {
  if (!existsSync(file) || (statSync(file).mode & FOR_OTHERS) === 0) return [];
  return [bad('data folder', `Other users can read ${file}.`, `chmod 600 ${file}`)];
}

/** Whether clients reach a gateway at PUBLIC_URL. */
export async function publicUrlFindings({ publicUrl, networkEnv }: Config): Promise<Finding[]> {
  const part = 'PUBLIC_URL';
  if (publicUrl === undefined) return [];
  const mend = 'Start a gateway, or correct the load balancer, the certificate or the variable.';
  const fetch = guardedFetch({ allowLoopback: networkEnv === 'sandbox' });
  try {
    const { status } = await fetch(`${publicUrl}/health/ready`, { timeoutMs: TIMEOUT_MS });
    if (status === 200) return [ok(part, `a gateway responds at ${publicUrl}`)];
    return [warn(part, `${publicUrl}/health/ready responds with ${status}, not 200.`, mend)];
  } catch (error) {
    const reason = reasonOf(error);
    const isPrivate = error instanceof GuardedFetchError && error.reason === 'refused';
    if (isPrivate) return [warn(part, `${publicUrl} is not a public address: others cannot reach it.`, mend)];
    if (reason === undefined) return [warn(part, `Nothing responds at ${publicUrl}.`, mend)];
    return [warn(part, `Nothing responds at ${publicUrl}: ${reason.says}.`, reason.mend ?? mend)];
  }
}

/** Whether the mail server of login codes accepts mail. */
export async function mailFindings({ smtpUrl }: Config): Promise<Finding[]> {
  if (smtpUrl === undefined) return [];
  const fault = await mailServerFault(smtpUrl);
  if (fault === undefined) return [ok('mail', 'the mail server accepts mail')];
  const reason = reasonOf(fault);
  const says = `The mail server at SMTP_URL does not accept mail${reason ? `: ${reason.says}` : ''}.`;
  return [bad('mail', says, reason?.mend ?? 'Check its address, user and password.')];
}
