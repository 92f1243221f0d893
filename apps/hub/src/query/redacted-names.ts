import type { Redactor } from '@tapdeck/redact'

/** Names in the answers to one request: a second question about a redacted name reaches the original one. */
export class RedactedNames {
  readonly #redactor: Redactor
  readonly #originals = new Map<string, Set<string>>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  redact(name: string): string {
    const redacted = this.#redactor.loneText(name)
    if (redacted !== name)
      this.#originals.set(redacted, (this.#originals.get(redacted) ?? new Set()).add(name))
    return redacted
  }

  originals(redacted: string): readonly string[] {
    return [redacted, ...(this.#originals.get(redacted) ?? [])]
  }
}
