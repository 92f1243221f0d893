import { describe, it } from 'vitest'
import { type Check, conformance } from '../../conformance/conformance.ts'
import { grpc } from './index.ts'

const captures = new URL('./captures/', import.meta.url)
// Lost headers cost more than neighbours: see http2.
const gapCost = Number.POSITIVE_INFINITY

describe('grpc conforms', () => {
  // It is never recognised by itself: HTTP speaks for it.
  const own = ({ name }: Check) => name !== 'recognises its own traffic'
  for (const { name, run } of conformance(grpc, { captures, gapCost }).filter(own)) it(name, run)
})
