import { readFile } from 'node:fs/promises'
import { Problem } from '@tapdeck/api'
import { writeDurably } from '@tapdeck/recording'
import { z } from 'zod'
import type { Log } from './log.ts'

const MAX_FILTERS = 200
const MAX_BYTES = 4 * 1024 * 1024

const shape = z.array(
  z.object({ name: z.string(), kfl: z.string(), saved_by: z.string(), saved_at: z.string() }),
)
export type SavedFilter = Readonly<z.output<typeof shape>[number]>

/** The filters that callers share, in the order of their names. They are stored on disk before a change is confirmed. */
export class SavedFilters {
  readonly #path: string
  #filters: ReadonlyMap<string, SavedFilter>
  #saving: Promise<unknown> = Promise.resolve()

  private constructor(path: string, filters: readonly SavedFilter[]) {
    this.#path = path
    this.#filters = new Map(filters.map((filter) => [filter.name, filter]))
  }

  /** A file that cannot be read is logged and stays as it is until the next filter is saved. */
  static async open(path: string, log: Log): Promise<SavedFilters> {
    try {
      const text = await readFile(path, 'utf8')
      if (text.length > MAX_BYTES) throw new RangeError(`it has more than ${MAX_BYTES} characters`)
      return new SavedFilters(path, shape.parse(JSON.parse(text)).slice(0, MAX_FILTERS))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        log.warn({ err: error, file: path }, 'cannot read the saved filters; starting without them')
      return new SavedFilters(path, [])
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

  /** One change after the other. What cannot be stored is not in force. */
  #change(edit: (filters: Map<string, SavedFilter>) => void): Promise<void> {
    const changed = this.#saving.then(async () => {
      const filters = new Map(this.#filters)
      edit(filters)
      const text = JSON.stringify([...filters.values()])
      // Escapes make it larger than the filters are, and a larger file would not be read at the next start.
      if (text.length > MAX_BYTES)
        throw new Problem(409, 'too_many_filters', 'The shared filters together are too long', {
          hint: 'Delete one that is not used, or share a shorter one.',
        })
      await writeDurably(this.#path, text)
      this.#filters = filters
    })
    this.#saving = changed.catch(() => {})
    return changed
  }
}
