import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ociContent, ociImage } from './oci-image.mjs'
import { pushImage } from './push-image.mjs'

const layer = (text: string) => ({
  title: text,
  entries: [{ path: text, mode: 0o644, content: Buffer.from(text) }],
})
const image = (architecture: string) =>
  ociImage({
    architecture,
    created: '2026-01-01T00:00:00.000Z',
    config: {},
    layers: [layer(architecture), layer('common')],
  })
const content = ociContent([image('amd64'), image('arm64')])

/** A registry of the OCI distribution specification, as far as a push needs it. */
class Registry {
  readonly blobs = new Map<string, Buffer>()
  readonly manifests = new Map<string, Buffer>()
  readonly seen: string[] = []
  challenge = ''
  accepts = ''
  readonly server = createServer((request, response) => {
    void this.#serve(request, response)
  })

  get host() {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async #serve(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { pathname, searchParams } = new URL(request.url!, `http://${this.host}`)
    const { authorization = '' } = request.headers
    const end = (status: number, headers = {}, text = '') => response.writeHead(status, headers).end(text)
    this.seen.push(`${request.method} ${pathname}`)
    if (pathname === '/token') {
      const asked = request.method === 'POST' ? new URLSearchParams(body.toString()) : searchParams
      const isKnown = authorization === basic || asked.get('refresh_token') === 'refresh'
      if (asked.get('scope') !== 'repository:team/tapdeck:pull,push' || !isKnown) return end(401)
      return end(200, {}, JSON.stringify({ token: 'granted' }))
    }
    if (authorization !== this.accepts) return end(401, { 'www-authenticate': this.challenge })
    const [, kind, name] = /^\/v2\/team\/tapdeck\/(blobs\/uploads|blobs|manifests|upload)\/(.*)$/.exec(
      pathname,
    )!
    if (kind === 'blobs/uploads') return end(202, { location: '/v2/team/tapdeck/upload/1?state=x' })
    if (kind === 'blobs') return end(this.blobs.has(name!) ? 200 : 404)
    if (kind === 'upload') {
      const digest = searchParams.get('digest')!
      if (digest !== sha256(body) || searchParams.get('state') !== 'x') return end(400)
      this.blobs.set(digest, body)
      return end(201)
    }
    const named = JSON.parse(body.toString()) as Named
    const known = [...(named.layers ?? []), ...(named.config ? [named.config] : [])].every(({ digest }) =>
      this.blobs.has(digest),
    )
    if (!known || !(named.manifests ?? []).every(({ digest }) => this.manifests.has(digest))) return end(404)
    this.manifests.set(name!, body)
    return end(201)
  }
}
interface Named {
  readonly layers?: readonly { readonly digest: string }[]
  readonly config?: { readonly digest: string }
  readonly manifests?: readonly { readonly digest: string }[]
}

const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const encoded = Buffer.from('user:pass:word').toString('base64')
const basic = `Basic ${encoded}`

let registry: Registry
let folder: string
const configure = (config: object) => writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
const push = (env = {}) =>
  pushImage(`${registry.host}/team/tapdeck:1`, content, { ...process.env, DOCKER_CONFIG: folder, ...env })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-push-test-'))
  registry = new Registry()
  await new Promise<void>((resolve) => registry.server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  registry.server.closeAllConnections()
  registry.server.close()
  rmSync(folder, { recursive: true })
})

describe('a push', () => {
  it('brings all blobs, then the manifests of both platforms, then the name of their index', async () => {
    const { digest, pushed } = await push()
    expect(pushed).toBe(content.blobs.length)
    expect(sha256(registry.manifests.get('1')!)).toBe(digest)
    const index = JSON.parse(registry.manifests.get('1')!.toString())
    const platforms = index.manifests.map(
      (one: { platform: { architecture: string } }) => one.platform.architecture,
    )
    expect(platforms).toEqual(['amd64', 'arm64'])
    expect(registry.seen.at(-1)).toBe('PUT /v2/team/tapdeck/manifests/1')
  })

  it('leaves out the blobs that the registry has', async () => {
    await push()
    expect(await push()).toMatchObject({ pushed: 0, known: content.blobs.length })
  })

  it('gives name and password of the configuration of docker', async () => {
    Object.assign(registry, { challenge: 'Basic realm="x"', accepts: basic })
    configure({ auths: { [registry.host]: { auth: encoded } } })
    expect((await push()).pushed).toBe(content.blobs.length)
  })

  it.each([
    ['a password', (host: string) => ({ auths: { [host]: { auth: encoded } } })],
    ['a refresh token', (host: string) => ({ auths: { [host]: { identitytoken: 'refresh' } } })],
  ])('gets a token for this repository with %s', async (_title, config) => {
    const challenge = `Bearer realm="http://${registry.host}/token",service="registry"`
    Object.assign(registry, { challenge, accepts: 'Bearer granted' })
    configure(config(registry.host))
    expect((await push()).pushed).toBe(content.blobs.length)
  })

  it('asks a credential helper', async () => {
    Object.assign(registry, { challenge: 'Basic realm="x"', accepts: basic })
    configure({ credHelpers: { [registry.host]: 'test' } })
    const helper = join(folder, 'docker-credential-test')
    const answer = JSON.stringify({ Username: 'user', Secret: 'pass:word' })
    writeFileSync(helper, `#!/bin/sh\nread host\n[ "$host" = ${registry.host} ] && echo '${answer}'\n`)
    chmodSync(helper, 0o755)
    expect((await push({ PATH: `${folder}:${process.env.PATH}` })).pushed).toBe(content.blobs.length)
  })

  it('says what to do where the registry refuses', async () => {
    Object.assign(registry, { challenge: 'Basic realm="x"', accepts: basic })
    await expect(push()).rejects.toThrow(/was answered with 401.*Log in to the registry first/)
  })
})
