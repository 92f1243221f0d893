import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { completionScript } from '../completion/completion-script.ts'
import { allCommands } from './index.ts'

const commands = await allCommands()

/** What bash proposes for a line whose last word is being written. */
function bash(...words: string[]): string[] {
  const line = ['tapdeck', ...words].map((word) => `'${word}'`).join(' ')
  const script = `${completionScript('bash', commands)}
COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _tapdeck; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter(Boolean)
}

test('bash completes commands, their second words, options and values', () => {
  expect(bash('snap')).toEqual(['snapshot'])
  expect(bash('switch', '')).toEqual(['on', 'off', 'changes'])
  expect(bash('snapshot', 'cr')).toEqual(['create'])
  expect(bash('calls', '--fo')).toEqual(['--follow', '--format'])
  expect(bash('calls', '--order', '')).toEqual(['newest', 'oldest'])
  expect(bash('snapshot', 'pcap', 'x', '--format', 'pcap')).toEqual(['pcapng', 'pcap'])
})

test('zsh and fish scripts name every command and option', () => {
  const zsh = completionScript('zsh', commands)
  const fish = completionScript('fish', commands)
  for (const { name, options } of commands) {
    expect(zsh).toContain(`'${name}') options=`)
    const second = name.split(' ')[1]
    if (second !== undefined) expect(fish).toContain(` -a ${second} `)
    for (const option of Object.keys(options)) {
      expect(zsh).toContain(`--${option}`)
      expect(fish).toContain(`-l ${option} `)
    }
  }
})
