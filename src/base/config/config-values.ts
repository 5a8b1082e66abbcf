// Values of the environment's variables: parses each text, or returns a sentence about the expected form.
import { z } from 'zod';
import { parsedUrl } from '../../common/parsed-url.js';
import { uriFault } from './mongodb-uri.js';
import { isOrigin } from './origins.js';

/** A whole number; `what` completes the error message. */
export const integer = (min: number, max: number, what: string) =>
  z.string().transform((text, issue) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
    issue.addIssue({ code: 'custom', message: `must be a whole number from ${min} to ${max}: ${what}` });
    return z.NEVER;
  });

/** true or false. */
export const flag = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((text) => text === 'true');

/** The name of a host, which is not an IP address. */
export const hostName = z
  .string()
  .max(253, 'must have at most 253 characters')
  .regex(
    /^(?!.*\.\d+$)(?!\d+$)(?=[a-z0-9])[a-z0-9-]+(\.[a-z0-9-]+)*$/,
    'must be the name of a host in lower case, such as gateway.example; not an IP address',
  );

/** An http or https address, without a slash at its end. */
export const httpUrl = z.string().transform((text, issue) => {
  const url = parsedUrl(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash)
    return text.replace(/\/+$/, '');
  issue.addIssue({
    code: 'custom',
    message: 'must be an http or https address without user, query or fragment, such as https://gateway.example',
  });
  return z.NEVER;
});

/**
 * The address of the gateway. Credentials contain it for good, and clients compare it: it is written as a URL parser writes it, so that all of them
 * mean the same one. A default port may be there, and a host may be Unicode.
 */
export const publicUrl = httpUrl.refine((text) => {
  const [, origin = '', path = '/'] = /^(https?:\/\/[^/\\]+)(\/.*)?$/.exec(text) ?? [];
  return origin !== '' && origin === origin.toLowerCase() && new URL(text).pathname === path;
}, 'must be written in small letters, and its path as browsers write it, such as https://gateway.example/base');

/** Origins of pages (RFC 6454), separated by commas. */
export const origins = z.string().transform((text, issue) => {
  const list = text
    .split(',')
    .map((origin) => origin.trim())
    .filter(Boolean);
  const bad = list.find((origin) => !isOrigin(origin));
  if (bad === undefined) return list;
  issue.addIssue({
    code: 'custom',
    message: `must be origins separated by commas, such as https://app.example; ${JSON.stringify(bad)} is not one`,
  });
  return z.NEVER;
});

/** A connection string without options that would weaken the gateway's guarantees. */
export const mongodbUri = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/.+/, 'must be a connection string that begins with mongodb:// or mongodb+srv://')
  .superRefine((uri, issue) => {
    const fault = uriFault(uri);
    if (fault !== undefined) issue.addIssue({ code: 'custom', message: fault });
  });

/** 32 bytes in base64. */
export const key = z.string().transform((text, issue) => {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 32 && bytes.toString('base64') === text) return bytes;
  issue.addIssue({ code: 'custom', message: 'must be 32 bytes in base64; create one with: openssl rand -base64 32' });
  return z.NEVER;
});

/** Addresses in the form of `httpUrl`, separated by commas. */
export const httpUrls = z.string().transform((text, issue) => {
  const list = text
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean)
    .map((address) => httpUrl.safeParse(address));
  if (list.every(({ success }) => success)) return list.flatMap(({ data }) => data ?? []);
  issue.addIssue({ code: 'custom', message: 'must be http or https addresses without query, separated by commas' });
  return z.NEVER;
});
