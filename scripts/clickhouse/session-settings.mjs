/** The settings of one session of ClickHouse: those of a request are set before its query, others get their defaults. */
export class SessionSettings {
  #run
  #current = new Map()

  /** `run` runs one statement in the session. */
  constructor(run) {
    this.#run = run
  }

  async apply(settings) {
    for (const name of this.#current.keys()) if (!settings.has(name)) await this.#set(name, undefined)
    for (const [name, value] of settings) if (this.#current.get(name) !== value) await this.#set(name, value)
  }

  async #set(name, value) {
    const quoted = value === undefined ? 'DEFAULT' : `'${value.replaceAll(/[\\']/g, '\\$&')}'`
    await this.#run(`SET ${name} = ${quoted}`)
    if (value === undefined) this.#current.delete(name)
    else this.#current.set(name, value)
  }
}
