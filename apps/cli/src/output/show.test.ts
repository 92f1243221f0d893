import { expect, test } from 'vitest'
import { recordingTerminal } from '../testing/recording-terminal.ts'
import { showFacts, showJson } from './show.ts'
import { formatTable } from './table.ts'

test('captured text in JSON holds no control that a terminal would follow', async () => {
  const terminal = recordingTerminal()
  const call = { path: '/\u009b2J\u001b[2J\u007f' }
  await showJson(terminal, call)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  expect(terminal.outText).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  expect(JSON.parse(terminal.outText)).toEqual(call)
})

test('captured text in facts and tables neither steers the terminal nor hides or reorders text', async () => {
  const hostile = '/x\u001b[2J\u009b2J\u202e\u2066\u200b\u{e0041}end'
  const terminal = recordingTerminal()
  await showFacts(terminal, { path: hostile })
  await terminal.out(formatTable([{ title: 'PATH', cell: (path: string) => path }], [hostile], terminal))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  expect(terminal.outText).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|\p{Cf}/u)
  expect(terminal.outText.match(/\\u202e/g)).toHaveLength(2)
})
