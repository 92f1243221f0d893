import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'
import { askAll } from '../query/ask-all.ts'
import { sourcesOf } from './calls.ts'
import { demandWindow } from './demand-window.ts'
import type { Handler } from './handler.ts'

type Flow = z.input<typeof shapes.flowPage>['flows'][number]

export const listL4Flows: Handler<'list_l4_flows'> = async (input, parts, { caller }) => {
  demandWindow(input)
  const { db, format, ...query } = input
  const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
  const { answers, missing } = await askAll(sourcesOf(db, parts, caller), 'flows', asked)
  const flows = answers.flatMap(({ output }) => output.flows as Flow[])
  if (answers.length > 1 && input.order !== 'newest') {
    const by = input.order === 'bytes' ? 'bytes' : 'pkts'
    flows.sort((a, b) => b.totals[by] - a.totals[by])
  }
  const total = answers.reduce((sum, { output }) => sum + output.total, 0)
  return {
    flows: flows.slice(0, input.limit),
    total,
    truncated: total > Math.min(flows.length, input.limit),
    ...(missing.length > 0 && { missing_nodes: [...missing] }),
    ...(db === undefined && { indexing: parts.switchboard.indexing }),
  }
}
