// Presses of pointers and keys, each with whether the buttons worked when it began: a click may be the end of a press from before that.

/** Keys that click a button. */
const CLICKING: ReadonlySet<string> = new Set(['Enter', ' ']);

/** The presses that may still end in a click. */
export class Presses {
  /** By pointer: a tap ends in its click after its pointer is up. */
  readonly #pointers = new Map<number, boolean>();
  readonly #down = new Set<number>();
  readonly #keys = new Map<string, boolean>();

  pointerDown({ pointerId }: Pick<PointerEvent, 'pointerId'>, isArmed: boolean): void {
    this.#down.delete(pointerId);
    if (this.#down.size === 0) this.#pointers.clear();
    this.#down.add(pointerId);
    this.#pointers.set(pointerId, isArmed);
  }

  pointerUp({ pointerId }: Pick<PointerEvent, 'pointerId'>): void {
    this.#down.delete(pointerId);
  }

  /** Repeats belong to the press that began before, also if that was in another window. */
  keyDown({ key, repeat }: Pick<KeyboardEvent, 'key' | 'repeat'>, isArmed: boolean): void {
    if (CLICKING.has(key) && !(repeat && this.#keys.has(key))) this.#keys.set(key, isArmed && !repeat);
  }

  /** Call it after the click that the key may end in. */
  keyUp({ key }: Pick<KeyboardEvent, 'key'>): void {
    this.#keys.delete(key);
  }

  /** What happens to keys while the window has no focus is not heard. */
  blur(): void {
    this.#keys.clear();
  }

  /** Whether the press that ends in this click began when the buttons worked. Assistive technology clicks without one. */
  isMeant(click: Pick<MouseEvent, 'detail'> & { pointerId?: number }): boolean {
    if (click.detail === 0) return [...this.#keys.values()].every(Boolean);
    const began = click.pointerId === undefined ? undefined : this.#pointers.get(click.pointerId);
    return began ?? (this.#pointers.size > 0 && [...this.#pointers.values()].every(Boolean));
  }
}
