import { spawnSync } from 'node:child_process'

/** A helm that runs: `TAPDECK_HELM`, or the one on the path. Undefined if there is none. */
export function findHelm() {
  const candidates = [process.env.TAPDECK_HELM, 'helm']
  return candidates.find((path) => path && spawnSync(path, ['version'], { stdio: 'ignore' }).status === 0)
}
