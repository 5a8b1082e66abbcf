// What must hold in every part of a JSON value.

/** Whether a value has more levels of objects and lists than this. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (levels < 0) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/** Whether all texts and names are Unicode: none has half of a surrogate pair. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner));
}
