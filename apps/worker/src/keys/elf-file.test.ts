import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { trials } from '@tapdeck/wire/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { ElfError, ElfFile } from './elf-file.ts'
import { planProbes } from './plan-probes.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-elf-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const [SECTIONS_AT, SECTION_COUNT] = [40, 60]

function withFile<Result>(path: string, use: (fd: number) => Result): Result {
  const fd = openSync(path, 'r')
  try {
    return use(fd)
  } finally {
    closeSync(fd)
  }
}

function withBytes<Result>(bytes: Buffer, use: (fd: number) => Result): Result {
  const path = join(folder, 'file')
  writeFileSync(path, bytes)
  return withFile(path, use)
}

describe.skipIf(process.platform !== 'linux')('ElfFile', () => {
  it('finds exported functions, code and the build of the running Node.js', () => {
    withFile(process.execPath, (fd) => {
      const file = new ElfFile(fd)
      expect(file.machine).toBe(process.arch)
      expect(file.section('.text')?.size).toBeGreaterThan(0)
      const found = file.functions(['ssl_log_secret', 'uv_version', 'no_such_function'])
      expect([...found.keys()].toSorted()).toEqual(['ssl_log_secret', 'uv_version'])
      const { address } = found.get('uv_version')!
      expect(file.fileOffset(address)).toBeGreaterThan(0)
      expect(file.code(address, 16)).toHaveLength(16)
      expect(file.fileOffset(2 ** 60)).toBeUndefined()
    })
  })

  it('plans a probe for the running Node.js, and none for a program without TLS', () => {
    expect(withFile(process.execPath, (fd) => planProbes(new ElfFile(fd)))).toMatchObject({ source: 'node' })
    expect(withFile('/bin/sh', (fd) => planProbes(new ElfFile(fd)))).toBeUndefined()
  })

  it('refuses files that are cut, damaged or something else with ElfError only', () => {
    const shell = readFileSync('/bin/sh')
    const sections = Number(shell.readBigUInt64LE(SECTIONS_AT))
    const sectionBytes = shell.readUInt16LE(SECTION_COUNT) * 64
    let state = 1
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 1
      return state % below
    }
    let refused = 0
    for (let trial = 0; trial < trials(1000, 60); trial++) {
      const bytes = Buffer.from(shell)
      for (let change = 0; change < 4; change++) {
        const at = change % 2 === 0 ? 4 + random(60) : sections + random(sectionBytes)
        bytes[at] = random(256)
      }
      const cut = trial % 5 === 0 ? bytes.subarray(0, random(bytes.length)) : bytes
      try {
        withBytes(cut, (fd) => {
          const file = new ElfFile(fd)
          planProbes(file)
          return file.buildId
        })
      } catch (error) {
        expect(error).toBeInstanceOf(ElfError)
        refused++
      }
    }
    expect(refused).toBeGreaterThan(0)
    expect(() => withBytes(Buffer.from('#!/bin/sh\n'), (fd) => new ElfFile(fd))).toThrow(ElfError)
  })
})
