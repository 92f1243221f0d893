import { choice, flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { showJson } from '../output/show.ts'

export const kflFormat = command({
  name: 'kfl format',
  summary: 'Prints a filter in its canonical form: one line, one space, double quotes.',
  takes: 'EXPR',
  words: [1, 1],
  options: {
    accent: choice(['words', 'cel'], 'words: and, or, contains; cel: &&, ||, .contains(). Default: words.'),
    json: flag('Prints JSON.'),
  },
  async run({ options, words, terminal }) {
    const { format, KflError } = await import('@tapdeck/kfl')
    const text = words[0]!
    try {
      const formatted = format(text, options.accent ?? 'words')
      if (options.json) await showJson(terminal, { formatted })
      else await terminal.out(`${formatted}\n`)
      return exitStatus.done
    } catch (error) {
      if (!(error instanceof KflError)) throw error
      const { explainKflError } = await import('../dissect/filter-option.ts')
      terminal.note(explainKflError(text, error))
      return exitStatus.failed
    }
  },
})
