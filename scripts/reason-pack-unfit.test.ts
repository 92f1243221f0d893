import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reasonPackUnfit } from './reason-pack-unfit.mjs'

let pack: string

beforeEach(() => {
  pack = mkdtempSync(join(tmpdir(), 'tapdeck-pack-'))
})

afterEach(() => {
  rmSync(pack, { recursive: true, force: true })
})

const reason = (arch: string) =>
  reasonPackUnfit(pack, { arch, env: { XDG_CACHE_HOME: join(pack, 'no-cache') } })

function unpack(kubectl: string): void {
  mkdirSync(join(pack, 'dist', 'bin'), { recursive: true })
  writeFileSync(join(pack, 'dist', 'bin', 'kubectl'), kubectl, { mode: 0o755 })
}

test('archives fit x86-64 only', () => {
  expect(reason('x64')).toBeUndefined()
  expect(reason('arm64')).toBe('the programs of the test cluster are for x86-64, and this machine is arm64')
})

test('unpacked programs that run fit, whatever they were built for', () => {
  unpack('#!/bin/sh\nexit 0\n')
  expect(reason('arm64')).toBeUndefined()
})

test('unpacked programs that do not run are named with what they said', () => {
  unpack('#!/bin/sh\necho "wrong machine" >&2\nexit 126\n')
  expect(reason('x64')).toBe(
    `${join(pack, 'dist', 'bin', 'kubectl')} does not run on this machine (x64): wrong machine`,
  )
})
