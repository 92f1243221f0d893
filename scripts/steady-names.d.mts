import type { Plugin } from 'esbuild'

export const steadyNames: Plugin
