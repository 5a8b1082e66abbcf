// The compose file: every word is one of the Compose Specification, and everything that its services name exists.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const duration = z.string().regex(/^(\d+(\.\d+)?(us|ms|s|m|h))+$/);
const texts = z.array(z.string());
const variables = z.record(z.string().regex(/^[A-Z_]+$/), z.string());

/** The members of a service that the file uses (https://github.com/compose-spec/compose-spec, 05-services.md). */
const service = z.strictObject({
  build: z.strictObject({ context: z.string(), args: variables.optional() }).optional(),
  image: z.string(),
  user: z.string().optional(),
  hostname: z.string().optional(),
  command: texts.optional(),
  entrypoint: texts.optional(),
  environment: variables.optional(),
  secrets: texts.optional(),
  volumes: z.array(z.string().regex(/^[\w./-]+:\/[\w./-]+(:ro)?$/)).optional(),
  tmpfs: texts.optional(),
  ports: z.array(z.string().regex(/:\d+$/)).optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']).optional(),
  stop_grace_period: duration.optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({
        condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']),
      }),
    )
    .optional(),
  healthcheck: z
    .union([
      z.strictObject({ disable: z.literal(true) }),
      z.strictObject({
        test: z.tuple([z.enum(['CMD', 'CMD-SHELL'])], z.string()),
        interval: duration,
        timeout: duration,
        retries: z.number().int(),
        start_period: duration.optional(),
      }),
    ])
    .optional(),
  // Without these, one container takes the machine's memory or disk.
  mem_limit: z.string().regex(/^\d+[mg]$/),
  logging: z.strictObject({
    driver: z.literal('json-file'),
    options: z.strictObject({ 'max-size': z.string().regex(/^\d+m$/), 'max-file': z.string().regex(/^\d+$/) }),
  }),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
});

const composeFile = z
  .object({
    name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
    services: z.record(z.string(), service),
    secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
    volumes: z.record(z.string(), z.null()),
  })
  .catchall(z.unknown());

const text = readFileSync('docker-compose.yml', 'utf8');
const read = (source: string) => composeFile.safeParse(parse(source, { merge: true }));

describe('The compose file', () => {
  const { data, error } = read(text);
  const services = Object.entries(data?.services ?? {});

  it('the compose file has only words of the Compose Specification, with valid values', () => {
    expect(error?.issues ?? []).toEqual([]);
    expect(services.length).toBeGreaterThan(5);
    for (const [word, wrong] of [
      ['read_only', 'readonly'],
      ['stop_grace_period: 15s', 'stop_grace_period: soon'],
      ['condition: service_healthy', 'condition: healthy'],
    ] as const)
      expect([wrong, read(text.replace(word, wrong)).success]).toEqual([wrong, false]);
    const topLevel = Object.keys(parse(text) as object).filter((name) => !name.startsWith('x-'));
    expect(topLevel).toEqual(['name', 'services', 'secrets', 'volumes']);
  });

  it('the compose file names services, secrets, volumes and files that exist', () => {
    for (const [name, { depends_on: before = {}, secrets = [], volumes = [] }] of services) {
      for (const other of Object.keys(before))
        expect([name, data?.services]).toEqual([name, expect.objectContaining({ [other]: expect.anything() })]);
      for (const secret of secrets) expect(Object.keys(data?.secrets ?? {})).toContain(secret);
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./')) expect([volume, existsSync(source)]).toEqual([volume, true]);
        else expect(Object.keys(data?.volumes ?? {})).toContain(source);
      }
    }
  });

  it('the compose file runs no container as root, and each that serves has a health check', () => {
    for (const [name, { user, image, restart, healthcheck }] of services) {
      // The gateway's own image sets its user and health check itself.
      const isOurs = image === 'credential-gateway';
      expect([name, user ?? 'node']).toEqual([name, isOurs ? 'node' : expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
      if (restart !== undefined && !isOurs) expect([name, healthcheck]).toEqual([name, expect.anything()]);
    }
    expect(readFileSync('Dockerfile', 'utf8')).toMatch(/^USER node$[\s\S]*^HEALTHCHECK /m);
  });
});
