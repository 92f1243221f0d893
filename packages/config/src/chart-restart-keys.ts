import { restartKeysOf } from './restart-keys.ts'

/** For the Helm chart: the keys whose change replaces the pods of each part. The hub applies `logLevel` at once, workers do not. */
export function chartRestartKeys(): string {
  const keys = { hub: restartKeysOf('hub'), worker: [...restartKeysOf('worker'), 'logLevel'] }
  return `${JSON.stringify(keys, undefined, 2)}\n`
}
