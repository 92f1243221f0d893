import { describe, it } from 'vitest'
import { type Check, conformance } from '../../conformance/conformance.ts'
import { grpc } from './index.ts'

const captures = new URL('./captures/', import.meta.url)

describe('grpc conforms', () => {
  // It is never recognised by itself: HTTP speaks for it.
  const own = ({ name }: Check) => name !== 'detects its own traffic'
  // Headers may be lost to all calls after a gap, but none of these: see http2.
  const checks = conformance(grpc, { captures, outline: true, gapCost: 0 })
  for (const { name, run } of checks.filter(own)) it(name, run)
})
