// Which clicks an approval takes: those whose press, by a pointer or a key, began when the buttons worked, whatever else is pressed meanwhile.
import { describe, expect, it } from 'vitest';
import { Presses } from '../../../src/wallet/screens/presses.js';

const MOUSE = { pointerId: 1 };
const FINGER = { pointerId: 2 };
const click = (pointerId?: number) => ({ detail: 1, ...(pointerId === undefined ? {} : { pointerId }) });
const KEY_CLICK = { detail: 0 };
const key = (name: string, repeat = false) => ({ key: name, repeat });

describe('A press', () => {
  it('that began when the buttons worked counts, and one that began before does not', () => {
    for (const isArmed of [true, false]) {
      const presses = new Presses();
      presses.pointerDown(MOUSE, isArmed);
      presses.pointerUp(MOUSE);
      expect([presses.isMeant(click(1)), presses.isMeant(click())]).toEqual([isArmed, isArmed]);
      presses.keyDown(key('Enter'), isArmed);
      expect(presses.isMeant(KEY_CLICK)).toBe(isArmed);
    }
  });

  it('that began too early stays one, whatever key is tapped meanwhile', () => {
    const presses = new Presses();
    presses.pointerDown(MOUSE, false);
    for (const name of ['Shift', 'Enter', ' ', 'a']) {
      presses.keyDown(key(name), true);
      presses.keyUp(key(name));
    }
    expect(presses.isMeant(click(1))).toBe(false);
    presses.pointerUp(MOUSE);
    presses.pointerDown(MOUSE, true);
    expect(presses.isMeant(click(1))).toBe(true);
  });

  it('that began too early stays one, although another finger taps', () => {
    const presses = new Presses();
    presses.pointerDown(MOUSE, false);
    presses.pointerDown(FINGER, true);
    presses.pointerUp(FINGER);
    expect([presses.isMeant(click(1)), presses.isMeant(click(2)), presses.isMeant(click())]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('that the window did not see begin does not count: of a pointer, or of a key that is held', () => {
    const presses = new Presses();
    expect([presses.isMeant(click(1)), presses.isMeant(click())]).toEqual([false, false]);
    presses.keyDown(key('Enter', true), true);
    expect(presses.isMeant(KEY_CLICK)).toBe(false);
    presses.keyDown(key('Enter', true), true);
    expect(presses.isMeant(KEY_CLICK)).toBe(false);
    presses.keyUp(key('Enter'));
    presses.keyDown(key('Enter'), true);
    expect(presses.isMeant(KEY_CLICK)).toBe(true);
  });

  it('of a key that is held stays the same one, also after the buttons have begun to work', () => {
    const presses = new Presses();
    presses.keyDown(key('Enter'), false);
    presses.keyDown(key('Enter', true), true);
    expect(presses.isMeant(KEY_CLICK)).toBe(false);
    presses.blur();
    presses.keyDown(key('Enter', true), true);
    expect(presses.isMeant(KEY_CLICK)).toBe(false);
  });

  it('is not needed by assistive technology', () => {
    expect(new Presses().isMeant(KEY_CLICK)).toBe(true);
  });
});
