import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureBuilt } from './build.mjs'
import { root } from './checkout.mjs'

const cli = join(root, 'dist', 'tapdeck.mjs')

/** A hub and a worker with the traffic of the demo, a snapshot and its dissection, for pictures of the page. */
export async function startDemoHub(port = 28_898) {
  await ensureBuilt()
  const { base, stop } = await startHub(port)
  const get = async (path) => (await fetch(base + path)).json()
  const post = (path, body) => {
    const headers = { 'content-type': 'application/json' }
    return fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const demo = run('demo', '--url', base, '--rate', '20', '--healthy-for', '40s')
  const shown = encodeURIComponent('dst.ns == "shop"')
  await until(async () => (await get(`/api/calls?limit=1&kfl=${shown}`)).total > 4000)
  await post('/api/snapshots', { name: 'incident-1', duration: '5m' })
  await until(async () => (await get('/api/snapshots/incident-1')).status === 'completed')
  await post('/api/dissections', { snapshot_name: 'incident-1', dissection_name: 'all' })
  await until(async () => (await get('/api/dissections/incident-1/all')).status === 'completed')
  return {
    base,
    stop: async () => {
      await ended(demo)
      await stop()
    },
  }
}

/** A hub that asks for a token, without traffic. */
export async function startLockedHub(port = 28_899) {
  await ensureBuilt()
  const settings = [
    'tap.auth.enabled=true',
    'tap.capture.dissection.enabled=false',
    'tap.capture.raw.enabled=false',
  ]
  return startHub(
    port,
    settings.flatMap((setting) => ['--set', setting]),
  )
}

async function startHub(port, more = []) {
  const base = `http://127.0.0.1:${port}`
  const data = mkdtempSync(join(tmpdir(), 'tapdeck-demo-'))
  const up = run('up', '--port', String(port), '--data', data, '--interface', 'lo', ...more)
  await until(() => fetch(`${base}/readyz`).then(({ ok }) => ok))
  return {
    base,
    stop: async () => {
      await ended(up)
      rmSync(data, { recursive: true, force: true })
    },
  }
}

function run(...args) {
  return spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
}

function ended(child) {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  return gone
}

async function until(isSo) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await isSo().catch(() => false)) return
    await sleep(500)
  }
  throw new Error('The demo did not get ready.')
}
