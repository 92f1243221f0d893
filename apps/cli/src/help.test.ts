import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allCommands } from './commands/index.ts'
import { cliReference, commandHelp, commandSummaries } from './help.ts'

const commands = await allCommands()

test('every command has its own name, a sentence, and options that say what they do', () => {
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length)
  for (const { name, summary, options } of commands) {
    expect(summary, name).toMatch(/^[A-Z].*\.$/)
    for (const [option, { doc }] of Object.entries(options))
      expect(doc, `${name} --${option}`).toMatch(/^.+\S$/)
  }
})

test('help of each command fits on a screen', () => {
  for (const command of commands)
    for (const line of commandHelp(command).split('\n').slice(3)) expect(line.length, line).toBeLessThan(250)
})

test('docs/cli.md is up to date (npm run docs writes it)', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  expect(page).toBe(cliReference(commands))
})

test('summaries.json is up to date (npm run docs writes it)', () => {
  const file = readFileSync(new URL('./commands/summaries.json', import.meta.url), 'utf8')
  expect(file).toBe(commandSummaries(commands))
})
