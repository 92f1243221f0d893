import { describe, it } from 'vitest'
import { type Check, conformance } from '../../conformance/conformance.ts'
import { graphql } from './index.ts'

const captures = new URL('./captures/', import.meta.url)

describe('graphql conforms', () => {
  // It is never recognised by itself: HTTP speaks for it.
  const own = ({ name }: Check) => name !== 'detects its own traffic'
  for (const { name, run } of conformance(graphql, { captures, gapCost: 0 }).filter(own)) it(name, run)
})
