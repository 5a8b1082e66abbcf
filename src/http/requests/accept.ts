// The Accept header (RFC 9110 §12.5.1): which media types a client accepts, and which it prefers.

import type { IncomingMessage } from 'node:http';

interface MediaRange {
  type: string;
  quality: number;
  /** The position of the range in the header. */
  place: number;
}

/** A media type without its parameters. */
export const essence = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase();

/**
 * A quoted value of a parameter, which may contain commas and semicolons. Without its closing quote it extends to the
 * end.
 */
const QUOTED = /"(?:[^"\\]|\\.?)*(?:"|$)/g;

function rangesOf(accept: string): MediaRange[] {
  const items = accept.replaceAll(QUOTED, '""').split(',');
  return items.map((text, place) => {
    const [, quality = '1'] = /;\s*q=([\d.]+)\s*(?:;|$)/i.exec(text) ?? [];
    return { type: essence(text), quality: Number(quality), place };
  });
}

/** The range that applies to a type: the most specific one that matches. */
function rangeFor(ranges: readonly MediaRange[], type: string): MediaRange | undefined {
  const spellings = [type, `${type.split('/')[0]}/*`, '*/*'];
  for (const spelling of spellings) {
    const range = ranges.find((one) => one.type === spelling);
    if (range !== undefined) return range;
  }
  return undefined;
}

/** Whether a client accepts any of these types; without a header it accepts all. */
export function accepts(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  const ranges = rangesOf(accept);
  return types.some((type) => (rangeFor(ranges, type)?.quality ?? 0) > 0);
}

/** How much a client wants a type, from 0 (not at all) to 1. */
export function qualityOf(accept: string, type: string): number {
  return rangeFor(rangesOf(accept), type)?.quality ?? 0;
}

/** The type that a client wants most; among equals, the first of these. */
export function bestOf(accept: string | undefined, types: readonly string[]): string {
  const ranges = rangesOf(accept || '*/*');
  const wanted = types.map((type) => rangeFor(ranges, type)?.quality ?? 0);
  return types[wanted.indexOf(Math.max(...wanted))] ?? '';
}

/** Whether a client accepts, by name, a type that contains this text. */
export function names(accept: string | undefined, text: string): boolean {
  if (!accept?.toLowerCase().includes(text)) return false;
  return rangesOf(accept).some(({ type, quality }) => quality > 0 && type.includes(text));
}

/**
 * Whether a client names a type and prefers it to another: first by quality, then by the more specific range, then by
 * position.
 */
export function prefers(accept: string | undefined, type: string, other: string): boolean {
  if (!accept?.toLowerCase().includes(type)) return false;
  const ranges = rangesOf(accept);
  const [range, rival] = [rangeFor(ranges, type), rangeFor(ranges, other)];
  if (range === undefined || range.quality === 0) return false;
  if (rival === undefined || range.quality !== rival.quality) return range.quality > (rival?.quality ?? 0);
  return rival.type !== other || range.place < rival.place;
}

/** Whether the client can only prefer plain JSON. */
export function acceptsPlainJson({ headers: { accept } }: Pick<IncomingMessage, 'headers'>): boolean {
  return accept === undefined || accept === '*/*' || accept === 'application/json';
}
