import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A helm that runs: `TAPDECK_HELM`, the one on the path, or the one of the test cluster. Undefined where there is none. */
export function findHelm() {
  const candidates = [process.env.TAPDECK_HELM, 'helm', join(homedir(), '.cache', 'kube-pack', 'bin', 'helm')]
  return candidates.find((path) => path && spawnSync(path, ['version'], { stdio: 'ignore' }).status === 0)
}
