// Given to node by --import: writes the address of every module that the process loads into the file of LIST_MODULES.
import { register } from 'node:module';

register(new URL('./list-modules-hook.mjs', import.meta.url), { data: { file: process.env.LIST_MODULES } });
