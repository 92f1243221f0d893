import { groupOfParts, partsOfGroup } from './group-parts.ts'

interface Redactor {
  loneText(text: string): string
}

/** Names in the answers to one request: a second question about a redacted name reaches the original one. */
export class RedactedNames {
  readonly #redactor: Redactor
  readonly #originals = new Map<string, Set<string>>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  redact(name: string): string {
    return this.#remember(name, this.#redactor.loneText(name))
  }

  /** The name of a group of several dimensions: a rule may apply to the beginning of a text. */
  redactParts(name: string): string {
    const parts = partsOfGroup({ group: name })
    const redacted = parts.map((part) => ({ ...part, group: this.#redactor.loneText(part.group) }))
    return this.#remember(name, groupOfParts(redacted))
  }

  #remember(name: string, redacted: string): string {
    if (redacted !== name)
      this.#originals.set(redacted, (this.#originals.get(redacted) ?? new Set()).add(name))
    return redacted
  }

  originals(redacted: string): readonly string[] {
    return [redacted, ...(this.#originals.get(redacted) ?? [])]
  }
}
