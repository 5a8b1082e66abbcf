// The library for apps: what the package exports as `mobile`.
export * from '../../sdk/mobile/events.js';
export { CoreException } from '../../sdk/mobile/exception.js';
export { CoreMobileService } from './core-mobile-service.js';
