// Members that would change an object's prototype when code copies them: `__proto__`, and `prototype` of `constructor`. Every
// edge that takes JSON refuses them, because some of the code that follows would lose them.

/** Every spelling of such a member contains one of these. */
const SPELLINGS = ['__proto__', 'constructor', '\\u'];

/** The rest of a sentence about a value that is refused. */
export const NAMES_PROTOTYPE = 'names __proto__ or constructor.prototype, which is refused';

/** Whether a JSON text may have such a member. This check costs far less than visiting its value. */
export const mayNamePrototype = (json: string): boolean => SPELLINGS.some((spelling) => json.includes(spelling));

/** Whether a JSON value has such a member, at any depth. */
export function namesPrototype(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const inner = open.pop();
    if (typeof inner !== 'object' || inner === null) continue;
    if (Object.hasOwn(inner, '__proto__')) return true;
    if (Object.hasOwn(inner, 'constructor') && Object.hasOwn(Object(inner.constructor), 'prototype')) return true;
    for (const member of Object.values(inner)) open.push(member);
  }
  return false;
}
