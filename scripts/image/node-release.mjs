import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { registryPackage } from './registry-package.mjs'

/** The Node.js that Tapdeck is shipped with, and its packages on npm by architecture of the image. */
export const nodeRelease = JSON.parse(readFileSync(new URL('node-release.json', import.meta.url), 'utf8'))

/** The path of its program for an architecture. */
export function nodeProgram(architecture) {
  const { name, integrity } = nodeRelease.packages[architecture]
  return join(registryPackage(name, nodeRelease.version, integrity), 'bin', 'node')
}

/** The license that comes with a program of Node.js. */
export function nodeLicense(program) {
  return join(dirname(dirname(program)), 'LICENSE')
}
