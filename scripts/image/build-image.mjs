import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { nativePackages } from '../bundles.mjs'
import { root } from '../checkout.mjs'
import { ociImage } from './oci-image.mjs'
import { nodeFromRegistry, productionPackages } from './production-packages.mjs'
import { sharedLibraries } from './shared-libraries.mjs'

const MACHINE = { x64: 'amd64', arm64: 'arm64' }
/** The user of the image where the pod names none; the number that "nonroot" images use. */
const USER = 65532

/** The architecture of this machine, as images call it. */
export function thisArchitecture() {
  return MACHINE[process.arch] ?? process.arch
}

/** Builds the image of this checkout's `dist/` in memory. The same sources and tools give the same digest. */
export function buildImage(architecture) {
  const { version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const isForeign = architecture !== thisArchitecture()
  const packages = productionPackages(root, nativePackages, architecture)
  const node = isForeign ? nodeFromRegistry(architecture) : readFileSync(process.execPath)
  const native = packages.filter(({ path }) => /\.(node|so)$/.test(path))
  const programs = [process.execPath, ...native.map(({ path }) => join(root, path.slice('app/'.length)))]
  const revision = git('rev-parse', 'HEAD')
  const labels = {
    'org.opencontainers.image.title': 'tapdeck',
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': license,
    ...(revision ? { 'org.opencontainers.image.revision': revision } : {}),
  }
  return {
    name: `localhost/tapdeck:${version}`,
    ...ociImage({
      name: `localhost/tapdeck:${version}`,
      architecture,
      created: createdAt(),
      config: {
        User: `${USER}:${USER}`,
        Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production', 'TAPDECK_DATA=/data'],
        Entrypoint: ['/usr/local/bin/node', '/app/dist/tapdeck.mjs'],
        Cmd: ['--help'],
        WorkingDir: '/app',
        Volumes: { '/data': {} },
        ExposedPorts: { '8898/tcp': {} },
        Labels: labels,
      },
      layers: [
        {
          title: 'system',
          entries: withFolders([...systemFiles(), ...sharedLibraries(architecture, isForeign, programs)]),
        },
        { title: 'node', entries: withFolders([{ path: 'usr/local/bin/node', mode: 0o755, content: node }]) },
        { title: 'packages', entries: withFolders(packages) },
        { title: 'tapdeck', entries: withFolders(ownFiles()) },
      ],
    }),
  }
}

function systemFiles() {
  const text = (path, content) => ({ path, mode: 0o644, content: Buffer.from(content) })
  return [
    text(
      'etc/passwd',
      `root:x:0:0:root:/:/sbin/nologin\ntapdeck:x:${USER}:${USER}:tapdeck:/data:/sbin/nologin\n`,
    ),
    text('etc/group', `root:x:0:\ntapdeck:x:${USER}:\n`),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    { path: 'tmp/', mode: 0o1777 },
    { path: 'data/', mode: 0o700, owner: USER },
  ]
}

function ownFiles() {
  const dist = join(root, 'dist')
  const entries = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dist, join(entry.parentPath, entry.name)))
    .filter((path) => /\.mjs$|^dashboard\//.test(path))
    .map((path) => ({ path: `app/dist/${path}`, mode: 0o644, content: readFileSync(join(dist, path)) }))
  // The bundles are ES modules by their ending; this names the program and its license.
  for (const name of ['package.json', 'LICENSE'])
    entries.push({ path: `app/${name}`, mode: 0o644, content: readFileSync(join(root, name)) })
  return entries
}

/** Every folder on the way to a file, so that no unpacker chooses its own rights for them. */
function withFolders(entries) {
  const folders = new Map()
  for (const { path } of entries) {
    for (let folder = dirname(path.replace(/\/$/, '')); folder !== '.'; folder = dirname(folder))
      folders.set(`${folder}/`, { path: `${folder}/`, mode: 0o755 })
  }
  for (const { path } of entries) folders.delete(path)
  return [...folders.values(), ...entries]
}

/** The time of the sources, not of the build: two builds of one revision are equal. */
function createdAt() {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct') ?? '0'
  return new Date(Number(seconds) * 1000).toISOString()
}

function git(...args) {
  if (!existsSync(join(root, '.git'))) return undefined
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}
