import { SeenNames } from '@tapdeck/inventory'

/** One address that DNS told for a name. */
export interface Answer {
  /** Milliseconds. */
  readonly time: number
  readonly flow: number
  readonly ttl: number
  readonly name: string
  readonly ip: string
}

/** Names of addresses as DNS told them, for calls that are asked about in order of time. */
export class NamedEnds {
  readonly #answers: readonly Answer[]
  readonly #seen = new SeenNames()
  #next = 0

  constructor(answers: readonly Answer[]) {
    this.#answers = answers.toSorted((a, b) => a.time - b.time || a.flow - b.flow)
  }

  get any(): boolean {
    return this.#answers.length > 0
  }

  /** Time, in milliseconds, has come to `now`. */
  advance(now: number): void {
    for (; this.#answers[this.#next] && this.#answers[this.#next]!.time <= now; this.#next++) {
      const { name, ip, time, ttl } = this.#answers[this.#next]!
      this.#seen.learn(name, ip, time, ttl)
    }
  }

  name(ip: string, time: number): string | undefined {
    return this.#seen.name(ip, time)
  }
}

/** The line of a call with the names of its ends. They stand in it after the id and the time, the source first. */
export function withNames(line: Buffer, src: string | undefined, dst: string | undefined): Buffer {
  const srcEnd = endOfObject(line, line.indexOf('"src":{') + 6)
  const dstEnd = endOfObject(line, srcEnd + '},"dst":'.length)
  const member = (name: string | undefined) =>
    Buffer.from(name === undefined ? '' : `,"dns":${JSON.stringify(name)}`)
  return Buffer.concat([
    line.subarray(0, srcEnd),
    member(src),
    line.subarray(srcEnd, dstEnd),
    member(dst),
    line.subarray(dstEnd),
  ])
}

/** Where the brace stands that closes the one at `start`. */
function endOfObject(json: Uint8Array, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; at++) {
    if (json[at] === 0x22) at = endOfString(json, at)
    else if (json[at] === 0x7b) depth++
    else if (json[at] === 0x7d && --depth === 0) return at
  }
  return json.length
}

function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === 0x5c) at++
    else if (json[at] === 0x22) return at
  }
  return json.length
}
