import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isChunk, nodeBundles } from '../bundles.mjs'
import { root } from '../checkout.mjs'
import { packageManifest } from './package-manifest.mjs'

/**
 * THE list of Tapdeck's own files where it is installed: the bundles, the page, the manifest and the license. The npm package, the
 * image and the archives have the same ones.
 */
export function programFiles() {
  const chunks = readdirSync(join(root, 'dist')).filter(isChunk)
  const bundles = [...Object.keys(nodeBundles).map((name) => `${name}.mjs`), ...chunks].map(
    (name) => `dist/${name}`,
  )
  return [
    { path: 'package.json', mode: 0o644, content: json(packageManifest()) },
    ...['LICENSE', ...bundles, ...pageFiles()].map((path) => ({
      path,
      // The launcher of the command line begins with `#!`.
      mode: path === 'dist/tapdeck.mjs' ? 0o755 : 0o644,
      content: readFileSync(join(root, path)),
    })),
  ]
}

function pageFiles() {
  return readdirSync(join(root, 'dist', 'dashboard'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

function json(value) {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}
