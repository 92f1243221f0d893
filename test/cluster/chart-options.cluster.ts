import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { helm, kubectl, root, runWithErrors } from './test-cluster.ts'

const chart = join(root, 'deploy', 'helm', 'tapdeck')
const options = [
  ...['cleanup.enabled=true', 'cleanup.nodes=2', 'ingress.enabled=true', 'ingress.host=tapdeck.example'],
  ...['persistence.enabled=true', 'auth.mode=oidc', 'tap.auth.oidc.issuer=https://id.example'],
  ...['tap.auth.oidc.clientId=x', 'tap.auth.oidc.clientSecret=y', 'existingSecret=more'],
  ...['tap.delayedDissection.runner=kubernetes', 'tap.snapshots.storage=s3', 'tap.snapshots.s3.bucket=b'],
]

test('the API server accepts every option, and Pod Security "restricted" objects to nothing but workers and the cleanup', async () => {
  const namespace = 'tapdeck-options'
  await kubectl('create', 'namespace', namespace)
  await kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/warn=restricted')
  const values = options.flatMap((one) => ['--set', one])
  const manifests = join(tmpdir(), `tapdeck-options-${process.pid}.yaml`)
  writeFileSync(manifests, await helm('template', 'tapdeck', chart, '-n', namespace, ...values))
  const { output, errors } = await runWithErrors(
    ...['kubectl', 'apply', '--dry-run=server', '-n', namespace, '-f', manifests],
  )
  for (const object of [
    'deployment.apps/tapdeck-hub',
    'daemonset.apps/tapdeck-worker',
    'job.batch/tapdeck-cleanup',
  ])
    expect(output).toContain(`${object} created (server dry run)`)
  const concerned = [...errors.matchAll(/would violate PodSecurity.*?\(container "([\w-]+)"/g)].map(
    ([, name]) => name,
  )
  expect(concerned.toSorted()).toEqual(['cleanup', 'worker'])
})
