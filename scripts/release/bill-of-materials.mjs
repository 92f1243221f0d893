import { createHash } from 'node:crypto'
import { nodeRelease } from '../image/node-release.mjs'
import { publicNames } from './public-names.mjs'
import { runtimePackages } from './runtime-packages.mjs'
import { lockedPackages, rootManifest, sourceTime } from './sources.mjs'

/** The software bill of materials in CycloneDX: what the bundles and the image consist of, from the lock file. */
export function billOfMaterials() {
  const { version, description, license } = rootManifest
  const product = {
    type: 'application',
    'bom-ref': purl(publicNames.npm, version),
    name: publicNames.npm,
    version,
    description,
    licenses: licensesOf(license),
    purl: purl(publicNames.npm, version),
    externalReferences: [{ type: 'vcs', url: publicNames.repository }],
  }
  const packages = runtimePackages(lockedPackages)
  const components = [
    ...new Map([...packages.map(component), nodeComponent()].map((one) => [one['bom-ref'], one])).values(),
  ]
  const dependencies = [
    { ref: product['bom-ref'], dependsOn: components.map((one) => one['bom-ref']).sort() },
    ...dependencyList(packages),
  ]
  const body = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp: sourceTime(), component: product },
    components,
    dependencies,
  }
  return { ...body, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}` }
}

function component({ name, locked }) {
  return {
    type: 'library',
    'bom-ref': purl(name, locked.version),
    name,
    version: locked.version,
    ...(locked.optional && { scope: 'optional' }),
    ...(locked.license && { licenses: licensesOf(locked.license) }),
    purl: purl(name, locked.version),
    ...(locked.integrity && { hashes: [hashOf(locked.integrity)] }),
  }
}

function nodeComponent() {
  const { version } = nodeRelease
  return {
    type: 'platform',
    'bom-ref': `pkg:generic/node@${version}`,
    name: 'node',
    version,
    description: 'Node.js of the image and of the archives for Linux',
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${version}`,
  }
}

/** One entry for each package, also where it is installed in several places. */
function dependencyList(packages) {
  const byRef = new Map()
  for (const { name, locked, dependencies } of packages) {
    const refs = byRef.get(purl(name, locked.version)) ?? new Set()
    for (const path of dependencies) {
      const one = packages.find((candidate) => candidate.path === path)
      refs.add(purl(one.name, one.locked.version))
    }
    byRef.set(purl(name, locked.version), refs)
  }
  return [...byRef].map(([ref, refs]) => ({ ref, dependsOn: [...refs].sort() }))
}

function purl(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function licensesOf(text) {
  return /^[\w.+-]+$/.test(text) ? [{ license: { id: text } }] : [{ expression: text }]
}

function hashOf(integrity) {
  const [algorithm, sum] = integrity.split(/-(.*)/)
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(sum, 'base64').toString('hex'),
  }
}

/** A name-based UUID (RFC 9562, version 8), so that two builds have the same. */
function uuidOf(text) {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = (bytes[6] & 0x0f) | 0x80
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
