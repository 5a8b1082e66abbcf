// The connection string of the store: the options that operators may set in it, and why the gateway refuses others.

/** Options for connecting, authentication and compression, which do not change the meaning of commands. Lower case. */
const TRANSPORT = new Set(
  (
    'replicaset srvservicename srvmaxhosts authsource authmechanism authmechanismproperties tls ssl tlsinsecure ' +
    'tlsallowinvalidcertificates tlsallowinvalidhostnames tlscafile tlscrlfile tlscertificatekeyfile ' +
    'tlscertificatekeyfilepassword proxyhost proxyport proxyusername proxypassword family autoselectfamily ' +
    'autoselectfamilyattempttimeout compressors zlibcompressionlevel minpoolsize maxconnecting maxidletimems ' +
    'waitqueuetimeoutms serverselectiontimeoutms connecttimeoutms heartbeatfrequencyms minheartbeatfrequencyms ' +
    'servermonitoringmode localthresholdms appname'
  ).split(' '),
);

/** Options that the gateway sets itself, regardless of the string. */
const OVERRIDDEN = new Set(['w']);

/** Options with restricted values: the test of a value, and the message for others. */
const LIMITED: Readonly<Record<string, readonly [(value: string) => boolean, string]>> = {
  readpreference: [
    (value) => value === 'primary',
    'secondaries lag, so a caller would not see what it has just written; leave it out',
  ],
  readconcernlevel: [
    (value) => ['local', 'majority'].includes(value),
    'the gateway chooses the read concern of each read; leave it out',
  ],
  retrywrites: [
    (value) => value === 'true',
    'a write that a failover interrupts would then be lost or reported as failed; leave it out',
  ],
  retryreads: [(value) => value === 'true', 'each failover would then fail the reads in progress; leave it out'],
  journal: [(value) => value === 'true', 'a write would be confirmed before it is on disk; leave it out'],
  directconnection: [
    (value) => ['true', 'false'].includes(value),
    'it must be true or false; leave it out for a replica set',
  ],
  maxpoolsize: [
    (value) => value === '0' || isAtLeast(value, 20),
    'background work alone uses up to 20 connections; set at least 20, 0 for no limit, or leave it out',
  ],
  sockettimeoutms: [
    (value) => value === '0' || isAtLeast(value, 1_000),
    'longer commands would end as network errors; set at least 1000, 0 for no limit, or leave it out',
  ],
};
const ALIASES: Readonly<Record<string, string>> = { j: 'journal' };

const isAtLeast = (value: string, least: number): boolean => /^\d{1,9}$/.test(value) && Number(value) >= least;

/** The options of a connection string as it spells them, in its order. */
export function optionsOf(uri: string): (readonly [name: string, value: string])[] {
  const [, query = ''] = uri.split('?');
  return [...new URLSearchParams(query)];
}

/**
 * Why the gateway refuses this connection string: a sentence that completes "MONGODB_URI". Undefined if it does not. The string's own
 * values are shown for the options that are limited, which have no secrets.
 */
export function uriFault(uri: string): string | undefined {
  if (!isPercentEncoded(uri)) return 'must have each % of a user, a password or an option written as %25';
  for (const [name, value] of optionsOf(uri)) {
    const option = ALIASES[name.toLowerCase()] ?? name.toLowerCase();
    if (TRANSPORT.has(option) || OVERRIDDEN.has(option)) continue;
    const limited = Object.hasOwn(LIMITED, option) ? LIMITED[option] : undefined;
    if (limited === undefined) return `must not set ${name}: the gateway does not support this option`;
    const [isAllowed, why] = limited;
    if (!isAllowed(value)) return `must not set ${name}=${value.slice(0, 20)}: ${why}`;
  }
  return undefined;
}

/** Whether every % begins an encoded character: the driver decodes user and password. */
function isPercentEncoded(uri: string): boolean {
  try {
    decodeURIComponent(uri);
    return true;
  } catch {
    return false;
  }
}
