import { Problem } from '@tapdeck/api'
import { z } from 'zod'
import type { Log } from './log.ts'
import { InTurn } from './state/in-turn.ts'
import { MAX_DOCUMENT_BYTES, type StateStore } from './state/state-store.ts'

const MAX_FILTERS = 200
const DOCUMENT = 'saved-filters'

const shape = z.array(
  z.object({ name: z.string(), kfl: z.string(), saved_by: z.string(), saved_at: z.string() }),
)
export type SavedFilter = Readonly<z.output<typeof shape>[number]>

/** The filters that callers share, in the order of their names. They are stored before a change is confirmed. */
export class SavedFilters {
  readonly #state: StateStore
  readonly #changes = new InTurn()
  #filters: ReadonlyMap<string, SavedFilter>

  private constructor(state: StateStore, filters: readonly SavedFilter[]) {
    this.#state = state
    this.#filters = new Map(filters.map((filter) => [filter.name, filter]))
  }

  /** A document that cannot be read is logged and stays as it is until the next filter is saved. */
  static async open(state: StateStore, log: Log): Promise<SavedFilters> {
    try {
      const text = (await state.read(DOCUMENT)) ?? '[]'
      return new SavedFilters(state, shape.parse(JSON.parse(text)).slice(0, MAX_FILTERS))
    } catch (error) {
      log.warn({ err: error, state: state.address }, 'cannot read the saved filters; starting without them')
      return new SavedFilters(state, [])
    }
  }

  list(): SavedFilter[] {
    return [...this.#filters.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async save(filter: SavedFilter): Promise<void> {
    await this.#change((filters) => {
      if (!filters.has(filter.name) && filters.size >= MAX_FILTERS)
        throw new Problem(
          409,
          'too_many_filters',
          `There are ${MAX_FILTERS} shared filters, which is the limit`,
          {
            hint: 'Delete one that is not used.',
          },
        )
      filters.set(filter.name, filter)
    })
  }

  async remove(name: string): Promise<void> {
    await this.#change((filters) => {
      if (!filters.delete(name))
        throw new Problem(404, 'not_found', `No shared filter is named "${name}"`, {
          hint: 'list_saved_filters lists them.',
        })
    })
  }

  /** What cannot be stored is not in force. */
  #change(edit: (filters: Map<string, SavedFilter>) => void): Promise<void> {
    return this.#changes.run(async () => {
      const filters = new Map(this.#filters)
      edit(filters)
      const text = JSON.stringify([...filters.values()])
      // Escapes make it larger than the filters are.
      if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES)
        throw new Problem(409, 'too_many_filters', 'The shared filters together are too long', {
          hint: 'Delete one that is not used, or share a shorter one.',
        })
      await this.#state.write(DOCUMENT, text)
      this.#filters = filters
    })
  }
}
