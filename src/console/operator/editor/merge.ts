// Merges two versions of a record that were made from one: what only one side has changed is taken, lists entry by entry; what both have changed is left
// to a person.

export type Side = 'theirs' | 'yours';

/** A part of the record: the member, then ids of entries and their members. */
export type Place = readonly string[];

/** A part that both sides have changed to different values. `undefined`: it is absent. */
export interface Clash {
  place: Place;
  before: unknown;
  theirs: unknown;
  yours: unknown;
}

export interface Merged {
  /** What is changed by either side, with the chosen sides of clashes. */
  values: Record<string, unknown>;
  clashes: Clash[];
  /** The parts that one side alone has changed. */
  taken: { place: Place; from: Side }[];
}

interface Versions {
  before: unknown;
  theirs: unknown;
  yours: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/** Absent, null and empty are the same for a form. */
const normal = (value: unknown): unknown => (value === null || value === '' ? undefined : value);
const textOf = (value: unknown): string =>
  JSON.stringify(normal(value), (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ) ?? '';
export const isSame = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b);

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const keyOf = (place: Place): string => JSON.stringify(place);

/**
 * Merges these members of two versions.
 * @param whole members that are taken as a whole, such as documents
 * @param sideOf the side that was chosen for a clash
 */
export function merge(
  members: readonly string[],
  versions: { before: Values; theirs: Values; yours: Values },
  sideOf: (place: Place) => Side | undefined,
  whole: readonly string[] = [],
): Merged {
  const merged: Merged = { values: {}, clashes: [], taken: [] };
  const { before, theirs, yours } = versions;
  for (const name of members)
    merged.values[name] = part([name], { before: before[name], theirs: theirs[name], yours: yours[name] });
  return merged;

  function part(place: Place, of: Versions): unknown {
    if (isSame(of.yours, of.theirs)) return of.theirs;
    const from: Side | undefined = isSame(of.yours, of.before)
      ? 'theirs'
      : isSame(of.theirs, of.before)
        ? 'yours'
        : undefined;
    if (from !== undefined) {
      merged.taken.push({ place, from });
      return of[from];
    }
    const inner = whole.includes(place[0] ?? '') ? undefined : (listOf(place, of) ?? objectOf(place, of));
    if (inner !== undefined) return inner.value;
    merged.clashes.push({ place, ...of });
    return of[sideOf(place) ?? 'theirs'];
  }

  /** The merged object, if both versions are objects. */
  function objectOf(place: Place, of: Versions): { value: unknown } | undefined {
    const { theirs, yours } = of;
    if (!isObject(theirs) || !isObject(yours)) return undefined;
    const before = isObject(of.before) ? of.before : {};
    const names = [...new Set([...Object.keys(theirs), ...Object.keys(yours)])];
    const entries = names.map(
      (name) =>
        [name, part([...place, name], { before: before[name], theirs: theirs[name], yours: yours[name] })] as const,
    );
    return { value: Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
  }

  /** The merged list, if the entries of all versions have ids of their own. */
  function listOf(place: Place, of: Versions): { value: unknown } | undefined {
    const [before, theirs, yours] = [byId(of.before ?? []), byId(of.theirs ?? []), byId(of.yours ?? [])];
    if (before === undefined || theirs === undefined || yours === undefined) return undefined;
    if (areReplaced(before, theirs, yours)) return undefined;
    const ids = [...new Set([...theirs.keys(), ...yours.keys()])];
    const entries = ids.map((id) =>
      part([...place, id], { before: before.get(id), theirs: theirs.get(id), yours: yours.get(id) }),
    );
    return { value: entries.filter((entry) => entry !== undefined) };
  }
}

type Entries = ReadonlyMap<string, unknown>;

/** The entries of a list by id: texts are their own, objects have a member; undefined if one has none, or two have the same. */
function byId(list: unknown): Entries | undefined {
  if (!Array.isArray(list)) return undefined;
  const entries = new Map<string, unknown>();
  for (const entry of list as unknown[]) {
    const id = idOf(entry);
    if (id === undefined || entries.has(id)) return undefined;
    entries.set(id, entry);
  }
  return entries;
}

/** The members by which entries are told apart. */
const IDS = ['credentialId', 'kid', 'name'] as const;

function idOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isObject(entry)) return undefined;
  const name = IDS.find((each) => typeof entry[each] === 'string' && entry[each] !== '');
  return name && String(entry[name]);
}

/** Whether both sides have put something else in the place of the same text: a changed condition is one text less and another one more. */
function areReplaced(before: Entries, theirs: Entries, yours: Entries): boolean {
  const isGone = [...before.keys()].some(
    (id) => typeof before.get(id) === 'string' && !theirs.has(id) && !yours.has(id),
  );
  const hasOwn = (one: Entries, other: Entries): boolean =>
    [...one.keys()].some((id) => typeof one.get(id) === 'string' && !before.has(id) && !other.has(id));
  return isGone && hasOwn(theirs, yours) && hasOwn(yours, theirs);
}
