import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, say } from './checkout.mjs'
import { findHelm } from './find-helm.mjs'

/** What `kubectl apply` takes where there is no helm: the chart with its defaults, without its tests. */
export function renderManifests(helm) {
  const chart = join(root, 'deploy', 'helm', 'tapdeck')
  const args = ['template', 'tapdeck', chart, '--namespace', 'tapdeck', '--skip-tests']
  const objects = execFileSync(helm, args, { encoding: 'utf8' })
    .split(/^---\n/m)
    .filter((one) => one.trim() !== '')
    .map((one) => withNamespace(one.replace(/^# Source: .*\n/m, '').trimEnd()))
  // Workers use the network and the processes of their node; the hub passes "restricted".
  const label = 'pod-security.kubernetes.io/enforce: privileged'
  const namespace = `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: tapdeck\n  labels:\n    ${label}`
  return `${[
    `# Made from deploy/helm/tapdeck with its defaults by \`npm run manifests\`.\n${namespace}`,
    ...objects,
  ].join('\n---\n')}\n`
}

/** Helm gives the namespace at the installation, kubectl takes it from the object. */
function withNamespace(object) {
  if (/^kind: Cluster/m.test(object)) return object
  return object.replace(/^metadata:\n/m, 'metadata:\n  namespace: tapdeck\n')
}

if (process.argv[1] === import.meta.filename) {
  const helm = findHelm()
  if (helm === undefined) {
    say('There is no helm. Put it on the path, or name it by TAPDECK_HELM.')
    process.exit(1)
  }
  const file = join('deploy', 'manifests', 'tapdeck.yaml')
  writeFileSync(join(root, file), renderManifests(helm))
  say(`Wrote ${file}`)
}
