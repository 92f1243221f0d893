/** The last record of each object of a kind. */
export class RecordMap<Kind extends { readonly uid: string }> {
  readonly #records = new Map<string, Kind>()

  get size(): number {
    return this.#records.size
  }

  get all(): Kind[] {
    return [...this.#records.values()]
  }

  get(uid: string): Kind | undefined {
    return this.#records.get(uid)
  }

  /** Returns the record before. */
  put(record: Kind): Kind | undefined {
    const before = this.#records.get(record.uid)
    this.#records.set(record.uid, record)
    return before
  }

  remove(uid: string): Kind | undefined {
    const before = this.#records.get(uid)
    this.#records.delete(uid)
    return before
  }

  /** Removes all others, and returns them. */
  keepOnly(uids: ReadonlySet<string>): Kind[] {
    const gone = [...this.#records.values()].filter(({ uid }) => !uids.has(uid))
    for (const { uid } of gone) this.#records.delete(uid)
    return gone
  }
}
