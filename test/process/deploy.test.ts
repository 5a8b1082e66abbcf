// What the deployment promises about its containers, read from the files that create them.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const compose = readFileSync('docker-compose.yml', 'utf8');
const sectionOf = (name: string) => new RegExp(`^${name}:.*\\n((?: {2}.*\\n|\\n)*)`, 'm').exec(compose)?.[1] ?? '';
const services = sectionOf('services')
  .split(/^ {2}(?=[\w-]+:$)/m)
  .filter((block) => /^[\w-]+:/.test(block));

describe('Every container', () => {
  it('every container is read-only, without capabilities, and gains no privileges', () => {
    expect(services.length).toBeGreaterThan(5);
    for (const block of services) expect(block).toMatch(/<<: \[?\*(hardened|mongo|gateway)\b/);
    for (const name of ['x-mongo', 'x-gateway']) expect(sectionOf(name)).toContain('<<: [*hardened,');
    const hardened = sectionOf('x-hardened');
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true'])
      expect(hardened).toContain(line);
  });

  it('every container gets its secrets as files', () => {
    expect(compose.match(/^ +\w*(PASSWORD|_KEY|_URI|SMTP_URL)\b.*:.*$/gm) ?? []).toEqual([]);
  });

  it('every container runs an image that can be named by digest', () => {
    const images = [...compose.matchAll(/^ +image: (.*)$/gm)].map(([, image]) => image);
    expect(
      images.filter((image) => image !== 'credential-gateway' && !/^\$\{[A-Z]+_IMAGE:-/.test(image ?? '')),
    ).toEqual([]);
    expect(readFileSync('Dockerfile', 'utf8').match(/^FROM (?!\$\{NODE_IMAGE\}).*$/gm) ?? []).toEqual([]);
  });
});

describe('The scripts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'deploy'));
  for (const name of ['make-secrets.sh', 'pin-images.sh']) cpSync(join('deploy', name), join(folder, 'deploy', name));
  const run = (name: string, ...args: string[]) =>
    spawnSync('sh', [join(folder, 'deploy', name), ...args], { encoding: 'utf8' });

  it('the scripts create secrets once, readable by their owner only', () => {
    expect(run('make-secrets.sh').status).toBe(0);
    const key = () => readFileSync(join(folder, 'secrets/keystore_key'), 'utf8');
    const first = key();
    expect(Buffer.from(first, 'base64')).toHaveLength(32);
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    expect(run('make-secrets.sh').status).toBe(0);
    expect(key()).toBe(first);
    const password = readFileSync(join(folder, 'secrets/mongo_password'), 'utf8');
    expect(readFileSync(join(folder, 'secrets/mongodb_uri'), 'utf8')).toContain(`gateway:${password}@mongo1`);
    // Its owner writes the address into it; an empty one counts for nothing unless SMTP_URL_FILE names it.
    writeFileSync(join(folder, 'secrets/smtp_url'), 'smtp://mail.example');
    expect(run('make-secrets.sh').status).toBe(0);
    expect(readFileSync(join(folder, 'secrets/smtp_url'), 'utf8')).toBe('smtp://mail.example');
  });

  it('the scripts report whether every image is pinned', () => {
    expect(run('pin-images.sh', '--check')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('MONGO_IMAGE'),
    });
    const digest = `sha256:${'0'.repeat(64)}`;
    const pinned = ['MONGO', 'NGINX', 'NODE'].map((name) => `${name}_IMAGE=image:1@${digest}\n`);
    writeFileSync(join(folder, '.env'), pinned.join(''));
    expect(run('pin-images.sh', '--check').status).toBe(0);
  });
});
