// Debian's nginx with the files of deploy/, in a folder and on a port of its own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from './gateway-process.js';

/** The path of an installed nginx; undefined if there is none. */
export const NGINX: string | undefined = ['/usr/sbin', ...(process.env.PATH ?? '').split(delimiter)]
  .map((folder) => join(folder, 'nginx'))
  .find((path) => existsSync(path));

export interface NginxOptions {
  /** Files of deploy/ that are included in nginx's `http` block and in its `server` block for the gateway. */
  http?: string[];
  server?: string[];
  /** Changes that an operator makes in the files. */
  edits?: readonly (readonly [from: string, to: string])[];
}

export interface RunningNginx {
  url: string;
  tlsUrl: string;
  /** Ends nginx and removes its folder. */
  end(): Promise<void>;
}

/** Starts nginx in front of gateways on these ports. @throws Error with the printed text if nginx ends instead. */
export async function startNginx(ports: readonly number[], options: NginxOptions = {}): Promise<RunningNginx> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  // nginx's workers run as another user, who has to read the folder.
  chmodSync(folder, 0o755);
  const [port = 0, tlsPort = 0] = await freePorts(2);
  const servers = ports.map((one) => `server 127.0.0.1:${one} max_fails=2 fail_timeout=1s;`).join('\n');
  const edit = (name: string): string => {
    let text = readFileSync(join('deploy', name), 'utf8');
    for (const [from, to] of options.edits ?? []) text = text.replaceAll(from, to);
    return text
      .replace(/( *server gateway\d:4000 [^\n]*\n)+/, `${servers}\n`)
      .replaceAll('/tmp/', `${folder}/`)
      .replaceAll('/etc/nginx/', `${folder}/`)
      .replaceAll(/^( *listen )8080;/gm, `$1127.0.0.1:${port};`)
      .replaceAll(/^( *listen )8443 /gm, `$1127.0.0.1:${tlsPort} `);
  };
  for (const name of ['gateway-http', 'gateway-server', 'certs']) mkdirSync(join(folder, name));
  for (const name of options.http ?? []) writeFileSync(join(folder, 'gateway-http', name), edit(name));
  for (const name of options.server ?? []) writeFileSync(join(folder, 'gateway-server', name), edit(name));
  if (options.server !== undefined) makeCertificate(join(folder, 'certs'));
  writeFileSync(join(folder, 'nginx.conf'), edit('nginx.conf'));
  const child = spawn(NGINX ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;']);
  const end = async (): Promise<void> => {
    await endOf(child);
    rmSync(folder, { recursive: true, force: true });
  };
  await listening(child, port);
  return { url: `http://127.0.0.1:${port}`, tlsUrl: `https://127.0.0.1:${tlsPort}`, end };
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  let printed = '';
  child.stderr?.on('data', (chunk) => {
    printed += chunk;
  });
  while (child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => undefined);
    if (answer !== undefined) return;
    await delay(20);
  }
  throw new Error(`nginx has ended: ${printed}`);
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function makeCertificate(folder: string): void {
  const names = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  const { status, stderr } = spawnSync('openssl', [...args, '-subj', '/CN=localhost', ...names], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
