import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showFacts, showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'

export const kflExplain = command({
  name: 'kfl explain',
  summary: 'Shows how a filter runs: which part in SQL, and which part on each candidate.',
  operations: ['explain_kfl'],
  takes: 'EXPR',
  words: [1, 1],
  options: { ...hubOptions },
  async run(input) {
    const { options, words, terminal } = input
    const plan = await openHub(input).call('explain_kfl', { kfl: words[0]! })
    if (!wantsTable(options, terminal)) {
      await showJson(terminal, plan)
      return exitStatus.done
    }
    await showFacts(terminal, {
      filter: plan.formatted,
      'decided by': plan.exact ? 'SQL alone' : 'SQL, then by reading each candidate',
      SQL: plan.where,
      reads: plan.reads.join(', '),
    })
    const parts = formatTable(
      [
        { title: 'PART', cell: (one) => one.kfl, shrinks: true },
        { title: 'SQL DECIDES', cell: (one) => one.pushed },
        { title: 'SQL', cell: (one) => one.where, shrinks: true },
        { title: 'READS', cell: (one) => one.reads.join(', '), shrinks: true },
      ],
      plan.parts,
      terminal,
    )
    await terminal.out(`\n${parts}`)
    return exitStatus.done
  },
})
