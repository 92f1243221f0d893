import { trials } from '@tapdeck/wire/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { seeded } from '../../../packages/dissect/src/conformance/replay.ts'
import { type DamagedInput, tryDamagedInput } from './damaged-input.ts'
import { QuicInputs } from './quic-inputs.ts'
import { TlsInputs } from './tls-inputs.ts'

interface Inputs {
  readonly undamaged: readonly DamagedInput[]
  damaged(random: () => number): DamagedInput
}

const INPUTS = trials(1500, 150)
const SEED = 24

describe.each<[string, () => Inputs | Promise<Inputs>]>([
  ['TLS', () => TlsInputs.record()],
  ['QUIC', () => new QuicInputs()],
])('damaged connections of %s and key logs', (_, make) => {
  let inputs: Inputs
  beforeAll(async () => {
    inputs = await make()
  })

  it('the undamaged ones are opened', () => {
    for (const input of inputs.undamaged)
      expect(tryDamagedInput(input)).toEqual({ paths: expect.arrayContaining([...(input.sent ?? [])]) })
  })

  it('throw nothing, keep no memory, and show only what was sent', () => {
    let opened = 0
    for (let number = 0; number < INPUTS; number++) {
      const { paths, problem } = tryDamagedInput(inputs.damaged(seeded(SEED * 1_000_003 + number)))
      expect(problem, `input ${number}`).toBeUndefined()
      if (paths.length > 0) opened++
    }
    // The damage is neither always fatal nor always harmless.
    expect(opened).toBeGreaterThan(INPUTS / 10)
    expect(opened).toBeLessThan(INPUTS - INPUTS / 10)
  })
})
