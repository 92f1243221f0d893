import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { npmPackage } from './npm-package.mjs'
import { packageManifest } from './package-manifest.mjs'

const root = resolve(import.meta.dirname, '..', '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** A build takes longer than a test on a busy machine. */
const BUILD_LIMIT_MS = 600_000
let folder: string
let archive: Buffer

/** The package as npm installs it, in a folder that is not a checkout; what it depends on comes from the checkout. */
beforeAll(() => {
  // The command line of the checkout builds what is missing.
  execFileSync(process.execPath, [join(root, 'scripts', 'tapdeck.mjs'), '--version'])
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-npm-test-'))
  archive = npmPackage()
  writeFileSync(join(folder, 'package.tgz'), archive)
  const target = join(folder, 'node_modules', 'tapdeck')
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, 'package.tgz'), '-C', target, '--strip-components=1'])
  const modules = join(folder, 'node_modules')
  for (const name of Object.keys(packageManifest().dependencies)) {
    mkdirSync(join(modules, name, '..'), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
}, BUILD_LIMIT_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const program = () => join(folder, 'node_modules', 'tapdeck', packageManifest().bin.tapdeck!)
const run = (...args: string[]) => execFileSync(program(), args, { cwd: folder, encoding: 'utf8' })

it('runs by its own first line, as npm links it', () => {
  expect(run('--version')).toBe(`tapdeck ${version}\n`)
})

it('dissects a capture file', () => {
  const captures = join(root, 'packages/dissect/src/protocols/http/captures')
  const capture = readdirSync(captures).find((name) => /\.pcap(ng)?$/.test(name))!
  const [line] = run('dissect', join(captures, capture)).split('\n')
  expect(JSON.parse(line!)).toMatchObject({ proto: 'http' })
})

it('depends on exact versions that build nothing, and is the same at each packing', () => {
  const { dependencies, scripts } = packageManifest()
  expect(Object.values(dependencies).filter((one) => !/^\d+\.\d+\.\d+[\w.-]*$/.test(one))).toEqual([])
  expect(scripts).toBeUndefined()
  expect(npmPackage().equals(archive)).toBe(true)
})

it('runs hub, worker and page', async () => {
  const port = await freePort()
  const env = { ...process.env, TAPDECK_PORT: String(port), TAPDECK_DATA: join(folder, 'data') }
  const args = ['up', '--interface', 'lo', '--set', 'tap.capture.dissection.enabled=false']
  const hub = spawn(program(), args, { cwd: folder, env, stdio: 'ignore' })
  try {
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        async (response) => `${response.status} ${await response.text()}`,
        () => '',
      )
    await expect.poll(() => get('/readyz')).toMatch(/^200 /)
    expect(await get('/')).toMatch(/^200 <!doctype html>/i)
    expect(await get('/docs/README.md')).toContain('# Tapdeck documentation')
  } finally {
    hub.kill()
    await once(hub, 'exit')
  }
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
