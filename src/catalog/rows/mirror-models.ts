// The collections of mirrors: which entries came from which network, and how far each network has been read.
import { type Connection, type Model, Schema } from 'mongoose';
import type { CatalogKind } from './rows.js';

/** A change that was made here to a mirrored entry. Later runs do not overwrite the entry. */
export interface LocalChange {
  why: 'edited' | 'retired';
  at: Date;
}

/** The origin of one entry, in a row of its own, so that the entry's row does not change when its source is read again. */
export interface MirroredRow {
  /** `originId(kind, entryId)`. */
  _id: string;
  kind: CatalogKind;
  entryId: string;
  /** Base address of the network it came from. */
  source: string;
  /** Hash of the record that the source's list had when the entry was read in full. */
  fingerprint: string;
  /** When it was read in full. */
  readAt: Date;
  /** When the source last listed it or responded with it. */
  seenAt: Date;
  /** When the source was first found without it; null: the source has it. */
  missingSince: Date | null;
  local: LocalChange | null;
}

export const originId = (kind: CatalogKind, entryId: string): string => `${kind} ${entryId}`;

/** The parts of a run, in order. */
export const MIRROR_PHASES = ['schemas', 'programs', 'missing'] as const;
export type MirrorPhase = (typeof MIRROR_PHASES)[number];

/** Results of a run. */
export interface MirrorCounts {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
  /** Not overwritten, because they were changed here. */
  kept: number;
  /** No longer at the source. */
  missing: number;
}

/** The newest run of one source. */
export interface MirrorRow {
  /** Base address. */
  _id: string;
  /** The current run, and the lease of its process; null: none. */
  claim: { lease: string; run: string } | null;
  state: 'running' | 'done' | 'stopped';
  startedAt: Date;
  finishedAt: Date | null;
  /** Whether the run reads every entry in full. */
  full: boolean;
  /** The part of the run that comes next. */
  phase: MirrorPhase;
  page: number;
  counts: MirrorCounts;
  /** Why it stopped. */
  message: string | null;
}

const mirrored = new Schema<MirroredRow>(
  {
    _id: { type: String, required: true },
    kind: { type: String, required: true },
    entryId: { type: String, required: true },
    source: { type: String, required: true },
    fingerprint: { type: String, required: true },
    readAt: { type: Date, required: true },
    seenAt: { type: Date, required: true },
    missingSince: { type: Date, default: null },
    local: { type: Schema.Types.Mixed, default: null },
  },
  { collection: 'mirroredEntries', versionKey: false },
);
mirrored.index({ source: 1, kind: 1, missingSince: 1, seenAt: 1 });

const mirror = new Schema<MirrorRow>(
  {
    _id: { type: String, required: true },
    claim: { type: Schema.Types.Mixed, default: null },
    state: { type: String, required: true },
    startedAt: { type: Date, required: true },
    finishedAt: { type: Date, default: null },
    full: { type: Boolean, required: true },
    phase: { type: String, required: true },
    page: { type: Number, required: true },
    counts: { type: Schema.Types.Mixed, required: true },
    message: { type: String, default: null },
  },
  { collection: 'mirrors', versionKey: false },
);

export interface MirrorModels {
  mirrored: Model<MirroredRow>;
  mirrors: Model<MirrorRow>;
}

/** Registers the collections on a connection. */
export function mirrorModels(connection: Connection): MirrorModels {
  return {
    mirrored: connection.model<MirroredRow>('MirroredEntry', mirrored),
    mirrors: connection.model<MirrorRow>('Mirror', mirror),
  };
}
