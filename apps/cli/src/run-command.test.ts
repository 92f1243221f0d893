import { readFile } from 'node:fs/promises'
import { ConfigError } from '@tapdeck/config'
import { expect, test } from 'vitest'
import { flag } from './arguments/option.ts'
import { command } from './command.ts'
import { CommandFailed } from './command-failed.ts'
import { listOf } from './command-list.ts'
import { runCommand } from './run-command.ts'
import { recordingTerminal } from './testing/recording-terminal.ts'

const commands = listOf([
  command({
    name: 'greet',
    summary: 'Greets.',
    takes: 'NAME',
    words: [1, 1],
    options: { loud: flag('Louder.') },
    async run({ options, words, terminal }) {
      if (words[0] === 'absent')
        throw new CommandFailed('gone away', { hint: 'Try another.', problem: { code: 'gone' } })
      if (words[0] === 'config')
        throw new ConfigError([{ path: 'a.b', message: 'unknown key', from: 'x.yaml' }])
      if (words[0] === 'file') await readFile('/nowhere/at/all')
      if (words[0] === 'fault') throw new TypeError('ours')
      await terminal.out(options.loud ? `HELLO ${words[0]}` : `hello ${words[0]}`)
      return 0
    },
  }),
  command({ name: 'thing get', summary: 'Gets.', options: { json: flag('JSON.') }, run: async () => 0 }),
  command({ name: 'thing put', summary: 'Puts.', options: {}, run: async () => 1 }),
])

async function run(...args: string[]) {
  const terminal = recordingTerminal()
  const status = await runCommand(commands, args, terminal, {})
  return { status, out: terminal.outText, notes: terminal.notes }
}

test('a command gets its options and words and gives the exit status', async () => {
  expect(await run('greet', '--loud', 'you')).toEqual({ status: 0, out: 'HELLO you', notes: [] })
  expect((await run('thing', 'put')).status).toBe(1)
})

test('a command gets its own options only, because some pass all of them on', async () => {
  let given: object = {}
  const curious = command({
    name: 'ask',
    summary: 'Asks.',
    options: { loud: flag('Louder.') },
    run: async ({ options }) => {
      given = options
      return 0
    },
  })
  expect(await runCommand(listOf([curious]), ['ask'], recordingTerminal(), {})).toBe(0)
  expect(Object.keys(given)).toEqual(['loud'])
})

test('help is made for the whole, for a group and for each command', async () => {
  for (const args of [['--help'], ['help']]) expect((await run(...args)).out).toContain('greet      Greets.')
  expect((await run('thing', '--help')).out).toContain('thing put  Puts.')
  for (const args of [
    ['greet', '--help'],
    ['greet', '-h'],
    ['help', 'greet'],
  ]) {
    const { status, out } = await run(...args)
    expect(status).toBe(0)
    expect(out).toContain('Usage: tapdeck greet NAME [OPTION…]')
    expect(out).toContain('--loud  Louder.')
  }
})

test('what the machine refuses is a line; a fault of ours is not hidden', async () => {
  const { status, notes } = await run('greet', 'file')
  expect([status, notes.length]).toEqual([1, 1])
  expect(notes[0]).toContain('tapdeck greet: ENOENT')
  await expect(run('greet', 'fault')).rejects.toThrow('ours')
})

test('without a command the overview is shown, with the status of a usage error', async () => {
  expect(await run()).toMatchObject({ status: 2, out: expect.stringContaining('Usage:') })
})

test.each([
  [['gret'], 'tapdeck: unknown command "gret"; did you mean greet?'],
  [['zzzzzzz'], 'tapdeck: unknown command "zzzzzzz"'],
  [['thing'], 'tapdeck thing: expected one of get, put'],
  [['thing', 'pet'], 'tapdeck thing: expected one of get, put, not "pet"'],
  [['greet'], 'tapdeck greet: expected NAME'],
  [['greet', 'a', 'b'], 'tapdeck greet: unexpected "b"'],
  [['greet', '--lout'], 'tapdeck greet: unknown option --lout; did you mean --loud?'],
])('%j is a usage error', async (args, note) => {
  const { status, notes, out } = await run(...args)
  expect({ status, out, note: notes[0] }).toEqual({ status: 2, out: '', note })
})

test('a failure is reported in a line with its hint', async () => {
  expect(await run('greet', 'absent')).toEqual({
    status: 1,
    out: '',
    notes: ['tapdeck greet: gone away', 'Try another.'],
  })
})

test('with --json a failure is JSON too, the problem of the hub or what the command says itself', async () => {
  const failing = (failure: CommandFailed) =>
    command({
      name: 'fail',
      summary: 'Fails.',
      options: { json: flag('JSON.') },
      run: () => Promise.reject(failure),
    })
  for (const [failure, said] of [
    [new CommandFailed('gone', { hint: 'Look.', problem: { code: 'gone' } }), { code: 'gone' }],
    [new CommandFailed('no hub', { hint: 'Start one.' }), { detail: 'no hub', hint: 'Start one.' }],
  ] as const) {
    const terminal = recordingTerminal()
    expect(await runCommand(listOf([failing(failure)]), ['fail', '--json'], terminal, {})).toBe(1)
    expect(terminal.notes.map((line) => JSON.parse(line))).toEqual([said])
  }
})

test('configuration problems are reported line by line', async () => {
  expect(await run('greet', 'config')).toMatchObject({
    status: 2,
    notes: ['tapdeck greet: the configuration is not right', '  a.b: unknown key (from x.yaml)'],
  })
})
