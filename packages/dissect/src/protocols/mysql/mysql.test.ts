import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { mysql } from './index.ts'

describe('mysql conforms', () => {
  const captures = new URL('./captures/', import.meta.url)
  const once = ['database', 'user', 'server_version', 'thread']
  // Five commands name a statement whose COM_STMT_PREPARE may be lost: its text is then unknown to all of them.
  for (const { name, run } of conformance(mysql, { captures, once, gapCost: 5 })) it(name, run)
})
