import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveConfig } from '@tapdeck/config'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FolderState } from '../state/folder-state.ts'
import { openLinkCertificates } from './open-link-certificates.ts'

const SECRET = '/api/v1/namespaces/tapdeck/secrets/authority'
const CONFIG_MAP = '/api/v1/namespaces/tapdeck/configmaps/trust'

let folder: string
let server: Server
let objects: Map<string, Record<string, string>>
let types: Set<string>

/** GET and merge PATCH of objects that exist, as an API server answers them. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-authority-'))
  objects = new Map([
    [SECRET, {}],
    [CONFIG_MAP, {}],
  ])
  types = new Set()
  server = createServer(async (request, response) => {
    const data = objects.get(request.url ?? '')
    let text = ''
    for await (const piece of request) text += piece
    if (data && request.method === 'PATCH') {
      types.add(request.headers['content-type'] ?? '')
      Object.assign(data, (JSON.parse(text) as { data: object }).data)
    }
    response.writeHead(data ? 200 : 404).end(JSON.stringify(data ? { data } : { message: 'not found' }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

/** A hub with a data folder of its own: what it trusts after the start. */
async function bundleOf(dataFolder: string): Promise<string> {
  const { port } = server.address() as AddressInfo
  const kubeconfig = join(folder, 'kubeconfig')
  const cluster = `clusters: [{name: c, cluster: {server: "http://127.0.0.1:${port}", insecure-skip-tls-verify: true}}]`
  const context =
    'contexts: [{name: x, context: {cluster: c, user: u, namespace: tapdeck}}]\ncurrent-context: x'
  writeFileSync(kubeconfig, `${cluster}\n${context}\nusers: [{name: u, user: {}}]\n`)
  const { config } = resolveConfig({
    files: [],
    env: {},
    set: [
      'hub.link.port=1',
      'hub.link.secretName=authority',
      'hub.link.configMapName=trust',
      `tap.kubernetes.kubeconfig=${kubeconfig}`,
    ],
  })
  const log = pino({ level: 'silent' })
  const certificates = await openLinkCertificates({
    config,
    dataFolder,
    state: new FolderState(dataFolder),
    log,
  })
  await certificates?.close()
  return certificates!.bundle
}

const newFolder = () => mkdtempSync(join(folder, 'data-'))

it('a hub that lost its disk finds the authority in the Secret; workers find only certificates in the ConfigMap', async () => {
  const first = newFolder()
  const bundle = await bundleOf(first)
  expect(await bundleOf(newFolder())).toBe(bundle)
  expect(objects.get(CONFIG_MAP)).toEqual({ 'ca.crt': bundle })
  expect(readFileSync(join(first, 'link-ca.pem'), 'utf8')).toBe(bundle)
  expect(bundle).not.toContain('PRIVATE')
  expect([...types]).toEqual(['application/merge-patch+json'])
})

it('without the Secret, or without its contents, the copy in the data folder counts', async () => {
  const data = newFolder()
  const bundle = await bundleOf(data)
  objects.set(SECRET, {})
  expect(await bundleOf(data)).toBe(bundle)
  // It is in the Secret again.
  expect(await bundleOf(newFolder())).toBe(bundle)
  objects.delete(SECRET)
  expect(await bundleOf(data)).toBe(bundle)
  await expect(bundleOf(newFolder())).rejects.toThrow(/Secret tapdeck\/authority/)
})

it('a ConfigMap that was changed by hand has the authorities again after the start', async () => {
  const bundle = await bundleOf(newFolder())
  objects.set(CONFIG_MAP, { 'ca.crt': 'another' })
  await bundleOf(newFolder())
  expect(objects.get(CONFIG_MAP)).toEqual({ 'ca.crt': bundle })
})
