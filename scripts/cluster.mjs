import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { findKubernetes } from './find-kubernetes.mjs'
import { reasonPackUnfit } from './reason-pack-unfit.mjs'
import { add, finish, nothing, run, runVitest } from './suites.mjs'

/**
 * `npm run cluster`: the suite of `test/cluster` on a real Kubernetes, with the image of `npm run image` and the chart
 * installed by helm. One cluster serves all tests; it is removed at the end, whatever happens. Words select files. Other
 * clusters: `NODES=2 OVERLAY=vxlan PROXY=iptables npm run cluster three-nodes`.
 */
const NODES = process.env.NODES ?? '3'

await ensureInstalled()
const reason = reasonToSkip()
if (reason) {
  say(`skipped: cluster tests, because ${reason}`)
  finish({ ...nothing, skipped: 1 })
} else finish(await runSuite(findKubernetes()))

function reasonToSkip() {
  const pack = findKubernetes()
  if (!pack) return 'there is no test cluster (TAPDECK_KUBERNETES names its folder)'
  if (process.platform !== 'linux') return 'the test cluster needs Linux'
  if (process.getuid?.() !== 0) return 'the test cluster needs root'
  return reasonPackUnfit(pack)
}

async function runSuite(pack) {
  const { ensureBuilt } = await import('./build.mjs')
  await ensureBuilt()
  const state = mkdtempSync(join(tmpdir(), 'tapdeck-cluster-'))
  const env = { STATE: join(state, 'kube'), NODES, PORT: String(await freePort()) }
  const script = (name) => join(pack, name)
  const remove = () => {
    spawnSync(script('down.sh'), { env: { ...process.env, ...env }, stdio: 'ignore' })
    rmSync(state, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      remove()
      process.exit(1)
    })
  try {
    const steps = [
      ['image', process.execPath, [join(root, 'scripts', 'image.mjs'), '--output', join(state, 'image.tar')]],
      ['cluster', script('up.sh'), []],
      ['image on the nodes', script('image.sh'), [join(state, 'image.tar')]],
    ]
    for (const [title, command, args] of steps) {
      const { status, output, seconds } = await run(command, args, { quiet: true, env })
      say(`${status === 0 ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`)
      if (status === 0) continue
      say(output)
      return { ...nothing, failed: 1 }
    }
    const words = process.argv.slice(2)
    const shared = {
      ...env,
      TAPDECK_CLUSTER_NODES: NODES,
      TAPDECK_CLUSTER_STATE: env.STATE,
      TAPDECK_CLUSTER_PACK: pack,
    }
    const chart = words.length > 0 ? nothing : await runChartTests(env.STATE)
    return add(chart, await runVitest('cluster tests', 'vitest.cluster.config.ts', { env: shared, words }))
  } finally {
    remove()
  }
}

/** The tests of the chart are skipped where there is no helm; the cluster brings one. */
async function runChartTests(state) {
  const { output } = await run('bash', ['-c', `. '${state}/env.sh' && command -v helm`], { quiet: true })
  return runVitest('tests of the chart', 'vitest.config.ts', {
    env: { TAPDECK_HELM: output.trim() },
    words: ['scripts/chart.test.ts'],
  })
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
