import { flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { showFacts, showJson } from '../output/show.ts'

export const kflCheck = command({
  name: 'kfl check',
  summary: 'Checks a filter; prints it in both notations, and what it reads.',
  operations: ['check_filter'],
  takes: 'EXPR',
  words: [1, 1],
  options: { json: flag('Prints JSON.') },
  async run({ options, words, terminal }) {
    const { compile, format, KflError } = await import('@tapdeck/kfl')
    const { explainKflError, fullCatalog } = await import('../dissect/filter-option.ts')
    const text = words[0]!
    try {
      const { paths, parts } = compile(text, fullCatalog(), Date.now())
      const forms = { formatted: format(text), cel: format(text, 'cel') }
      if (options.json)
        await showJson(terminal, {
          valid: true,
          ...forms,
          reads: paths,
          parts: parts.map((part) => part.text),
        })
      else await showFacts(terminal, { words: forms.formatted, CEL: forms.cel, reads: paths.join(', ') })
      return exitStatus.done
    } catch (error) {
      if (!(error instanceof KflError)) throw error
      const { message, position, length, expected, suggestion } = error
      if (options.json)
        await showJson(terminal, { valid: false, message, position, length, expected, suggestion })
      else terminal.note(explainKflError(text, error))
      return exitStatus.failed
    }
  },
})
