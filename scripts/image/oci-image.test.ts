import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ociArchive, ociContent, ociImage } from './oci-image.mjs'
import { tarArchive } from './tar-archive.mjs'

const longName = `app/${'folder/'.repeat(20)}file.txt`
const entries = [
  { path: 'app/', mode: 0o755 },
  { path: 'app/b.txt', mode: 0o644, content: Buffer.from('b') },
  { path: longName, mode: 0o755, content: Buffer.alloc(1000, 'x') },
  { path: 'app/link', mode: 0o777, link: 'b.txt' },
]
const name = 'localhost/sample:1'
const image = {
  architecture: 'amd64',
  created: '2026-01-01T00:00:00.000Z',
  config: { Cmd: ['/app/b.txt'], Labels: { version: '1' } },
  layers: [
    { title: 'one', entries },
    { title: 'two', entries: [{ path: 'c', mode: 0o600, content: Buffer.from('c') }] },
  ],
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-image-test-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function unpack(archive: Buffer, name: string): string {
  const target = join(folder, name)
  mkdirSync(target)
  writeFileSync(`${target}.tar`, archive)
  execFileSync('tar', ['-xf', `${target}.tar`, '-C', target])
  return target
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

describe('tarArchive', () => {
  it('writes files, long names, folders and links that tar unpacks', () => {
    const target = unpack(tarArchive(entries), 'plain')
    expect(readFileSync(join(target, 'app/b.txt'), 'utf8')).toBe('b')
    expect(readFileSync(join(target, longName)).length).toBe(1000)
    expect(lstatSync(join(target, longName)).mode & 0o777).toBe(0o755)
    expect(readlinkSync(join(target, 'app/link'))).toBe('b.txt')
  })

  it('gives the same bytes for the same entries in any order', () => {
    expect(tarArchive([...entries].reverse()).equals(tarArchive(entries))).toBe(true)
  })
})

const archiveOf = (...architectures: string[]) => {
  const content = ociContent(architectures.map((architecture) => ociImage({ ...image, architecture })))
  return { archive: ociArchive(name, content), digest: content.top.descriptor.digest }
}

describe('an image', () => {
  it('names every blob by its content, and every layer by what it unpacks to', () => {
    const target = unpack(archiveOf('amd64').archive, 'layout')
    const blobs = join(target, 'blobs/sha256')
    for (const name of readdirSync(blobs)) expect(sha256(readFileSync(join(blobs, name)))).toBe(name)
    const [docker] = readJson(join(target, 'manifest.json'))
    const config = readJson(join(target, docker.Config))
    const unpacked = docker.Layers.map((path: string) => sha256(gunzipSync(readFileSync(join(target, path)))))
    expect(config.rootfs.diff_ids).toEqual(unpacked.map((sum: string) => `sha256:${sum}`))
    expect(docker.RepoTags).toEqual(['localhost/sample:1'])
  })

  it('lists the same config and layers for OCI tools and for docker', () => {
    const { archive, digest } = archiveOf('amd64')
    const target = unpack(archive, 'both')
    const [docker] = readJson(join(target, 'manifest.json'))
    const [entry] = readJson(join(target, 'index.json')).manifests
    expect(entry.digest).toBe(digest)
    expect(entry.annotations['io.containerd.image.name']).toBe('localhost/sample:1')
    const manifest = readJson(join(target, 'blobs', digest.replace(':', '/')))
    const pathOf = (one: { digest: string }) => `blobs/${one.digest.replace(':', '/')}`
    expect(pathOf(manifest.config)).toBe(docker.Config)
    expect(manifest.layers.map(pathOf)).toEqual(docker.Layers)
  })

  it('of two platforms is an index of their manifests, with the layers that they share once', () => {
    const { archive, digest } = archiveOf('amd64', 'arm64')
    const target = unpack(archive, 'index')
    const [entry] = readJson(join(target, 'index.json')).manifests
    expect(entry.digest).toBe(digest)
    const index = readJson(join(target, 'blobs', digest.replace(':', '/')))
    const configs = index.manifests.map((one: { digest: string; platform: { architecture: string } }) => {
      const manifest = readJson(join(target, 'blobs', one.digest.replace(':', '/')))
      const config = readJson(join(target, 'blobs', manifest.config.digest.replace(':', '/')))
      expect(config.architecture).toBe(one.platform.architecture)
      return config.architecture
    })
    expect(configs).toEqual(['amd64', 'arm64'])
    // Two layers, two configurations, two manifests and the index.
    expect(readdirSync(join(target, 'blobs/sha256'))).toHaveLength(7)
  })

  it('has the same digest for the same input, and another one for another input', () => {
    expect(archiveOf('amd64', 'arm64').digest).toBe(archiveOf('amd64', 'arm64').digest)
    expect(ociImage({ ...image, created: '2026-01-02T00:00:00.000Z' }).manifest.descriptor.digest).not.toBe(
      archiveOf('amd64').digest,
    )
  })
})
