import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './checkout.mjs'

/** The folder of the test cluster: `TAPDECK_KUBERNETES`, else ../shared/kubernetes. Undefined where there is none. */
export function findKubernetes() {
  const candidates = [process.env.TAPDECK_KUBERNETES, join(root, '..', 'shared', 'kubernetes')]
  return candidates.find((folder) => folder && existsSync(join(folder, 'up.sh')))
}
