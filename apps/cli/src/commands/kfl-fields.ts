import type { CatalogField } from '@tapdeck/kfl'
import { flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { showJson } from '../output/show.ts'
import { type Column, formatTable } from '../output/table.ts'

const columns: readonly Column<CatalogField>[] = [
  { title: 'FIELD', cell: (field) => field.name },
  { title: 'TYPE', cell: (field) => field.type },
  { title: 'MEANING', cell: (field) => field.doc, shrinks: true },
  { title: 'EXAMPLE', cell: (field) => field.example, shrinks: true },
]

export const kflFields = command({
  name: 'kfl fields',
  summary: 'Lists the names that a filter may use, or those that contain a word.',
  operations: ['list_kfl_fields'],
  takes: '[WORD]',
  words: [0, 1],
  options: { json: flag('Prints JSON.') },
  async run({ options, words, terminal }) {
    const { fullCatalog } = await import('../dissect/filter-option.ts')
    const word = words[0]?.toLowerCase() ?? ''
    const fields = fullCatalog().fields.filter(({ name, doc }) =>
      `${name} ${doc}`.toLowerCase().includes(word),
    )
    if (options.json) {
      const shown = fields.map(({ name, type, path, doc, example }) => ({ name, type, path, doc, example }))
      await showJson(terminal, { fields: shown })
      return exitStatus.done
    }
    await terminal.out(formatTable(columns, fields, terminal.isScreen ? terminal : { width: 200 }))
    return exitStatus.done
  },
})
