// Origins of pages: those that browsers, web views and extensions send, and nothing else.
import { describe, expect, it } from 'vitest';
import { isOrigin } from '../../../src/base/config/origins.js';

describe('An origin', () => {
  it.each([
    'https://app.example',
    'http://localhost:5173',
    'https://xn--bcher-kva.example',
    'http://[::1]:8080',
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
    'app://localhost:8080',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'moz-extension://0b1c2d3e-1111-4222-8333-000000000000',
    'safari-web-extension://0B1C2D3E-1111-4222-8333-000000000000',
  ])('an origin may be %s', (text) => {
    expect(isOrigin(text)).toBe(true);
  });

  it.each([
    'null',
    '',
    '*',
    'app.example',
    'https://app.example/',
    'https://app.example/path',
    'https://app.example:443',
    'https://App.example',
    'https://user@app.example',
    'https://b\u00fccher.example',
    'wss://app.example',
    'ftp://app.example',
    'file://',
    'file:///index.html',
    'data:text/html,x',
    'blob:https://app.example/1',
    'javascript:alert(1)',
    'about:blank',
    'capacitor://',
    'capacitor:localhost',
    'capacitor://localhost/',
    'capacitor://user@localhost',
    'capacitor://localhost?x',
    'Capacitor://localhost',
  ])('%j is not an origin', (text) => {
    expect(isOrigin(text)).toBe(false);
  });
});
