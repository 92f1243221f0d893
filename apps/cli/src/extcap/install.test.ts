import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { extcapFolder, installLauncher, launcher } from './install.ts'

it('knows the folder of each platform', () => {
  expect(extcapFolder('linux', {}, '/home/a')).toBe('/home/a/.local/lib/wireshark/extcap')
  expect(extcapFolder('darwin', {}, '/Users/a')).toBe('/Users/a/.local/lib/wireshark/extcap')
  expect(extcapFolder('win32', { APPDATA: 'R' }, 'H')).toBe(join('R', 'Wireshark', 'extcap'))
})

it('writes a program that only its owner may read and run, and that passes all options on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-extcap-'))
  try {
    const path = await installLauncher('linux', join(folder, 'new'), ['--url', "http://a'b $(false)"])
    expect(statSync(path).mode & 0o777).toBe(0o700)
    const script = readFileSync(path, 'utf8').replace(/^exec \S+ \S+/m, "printf '%s|'")
    expect(execFileSync('sh', ['-c', script, 'sh', '--capture', 'x y'], { encoding: 'utf8' })).toBe(
      "extcap|--url|http://a'b $(false)|--capture|x y|",
    )
    expect(launcher('win32', [])).toMatch(/^@echo off\r\n".*" "extcap" %\*\r\n$/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
