import type { ApiToken } from '@tapdeck/api/credentials'

/** Where API tokens are stored. */
export interface TokenRecords {
  /** All of them; undefined where nothing changed since the last look. `unlessWithinMs`: a younger look is good enough. */
  look(unlessWithinMs: number): readonly ApiToken[] | undefined
  /** Resolves when it is stored. */
  add(token: ApiToken): Promise<void>
  /** Does nothing where it is not here. */
  remove(id: string): Promise<void>
}
