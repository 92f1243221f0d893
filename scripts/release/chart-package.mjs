import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../checkout.mjs'
import { packArchive } from './pack-archive.mjs'
import { publicNames } from './public-names.mjs'

const deploy = join(root, 'deploy')
/** The image of `npm run image`, which the chart of a checkout installs. */
const LOCAL_IMAGE = 'localhost/tapdeck'

/** The chart as `helm package` would write it, with the published image and the home of the project. */
export function chartPackage() {
  const chart = join(deploy, 'helm', 'tapdeck')
  const entries = readdirSync(chart, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(chart, join(entry.parentPath, entry.name)))
    .map((path) => ({ path, mode: 0o644, content: published(path, readFileSync(join(chart, path), 'utf8')) }))
  return packArchive(entries, 'tapdeck')
}

/** What `kubectl apply` takes where there is no helm, with the published image. */
export function plainManifests() {
  const text = readFileSync(join(deploy, 'manifests', 'tapdeck.yaml'), 'utf8')
  return Buffer.from(replaceImage('deploy/manifests/tapdeck.yaml', text))
}

function published(path, text) {
  const { repository } = publicNames
  if (path === 'values.yaml') return Buffer.from(replaceImage(path, text))
  if (path === 'Chart.yaml') return Buffer.from(`${text}home: ${repository}\nsources: [${repository}]\n`)
  return Buffer.from(text)
}

function replaceImage(path, text) {
  if (!text.includes(LOCAL_IMAGE)) throw new Error(`${path} does not name the image ${LOCAL_IMAGE}.`)
  return text.replaceAll(LOCAL_IMAGE, publicNames.image)
}
