import { expect, test } from 'vitest'
import { recordingTerminal } from '../testing/recording-terminal.ts'
import { showJson } from './show.ts'

test('captured text in JSON holds no control that a terminal would follow', async () => {
  const terminal = recordingTerminal()
  const call = { path: '/\u009b2J\u001b[2J\u007f' }
  await showJson(terminal, call)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  expect(terminal.outText).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  expect(JSON.parse(terminal.outText)).toEqual(call)
})
