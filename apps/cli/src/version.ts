import manifest from '../package.json' with { type: 'json' }

export const tapdeckVersion: string = manifest.version
