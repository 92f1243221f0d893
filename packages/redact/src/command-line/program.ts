import { isHarmless } from './harmless-letters.ts'
import { MASK } from './mask.ts'
import { PROGRAM_FORMS } from './program-forms.ts'
import { isSecretName } from './secret-name.ts'

/** Before the name of a script these are flags of the interpreter: `python -u app.py`, `node -p 1+1`. */
const INTERPRETERS = /^(?:python[\d.]*|perl|ruby|node|nodejs|bash|sh|dash|zsh)$/
const SHELLS = /^(?:ba|da|z|k|a)?sh$/
/** Letters whose value may follow without a blank, whatever it is: `-pVALUE`. After others only `USER:VALUE` is one. */
const ATTACHED = 'pPawAXcN'

/** Single words that begin with a p and are options of their own: `find -print`, `terraform -parallelism=4`. */
const WORDS_WITH_P =
  /^p(?:rint\w*|ort|ath|rofile|roto\w*|rune|erm|id\w*|roject|refix|lugins?|arallel\w*|rogress|ublish|ackages?|rivileged|olicy|ool|roperty|attern)(?:=|$)/
/** `aws configure set NAME VALUE`, `git config NAME VALUE`, `consul kv put NAME VALUE`. */
const SETS = /^(?:config|configure|set|put)$/
/** Names of commands, and not of what is set: `kubectl config set-credentials`. */
const COMMAND = /^(?:set|get|unset|list|delete|use|add)-/

const KNOWN = new RegExp(PROGRAM_FORMS.map(({ programs }) => programs.source).join('|'), 'i')

/** The program that a list of arguments starts, as far as it was read. */
export class Program {
  readonly #name: string
  /** Of this program, and of those that it starts: `docker exec db mysql -pVALUE`. */
  readonly #forms: (typeof PROGRAM_FORMS)[number][] = []
  /** Positional words and options after the name of the last program that is known. */
  #words: string[] = []
  #options: string[] = []
  #letters = ''
  #all: string[] = []

  constructor(first: string) {
    this.#name = baseName(first)
    this.#know(this.#name)
  }

  /** Reads the next argument; returns how it is shown if its place says that it contains a secret. */
  read(word: string): string | undefined {
    if (word.startsWith('-')) {
      this.#options.push(word)
      return undefined
    }
    const position = { words: this.#words, options: this.#options, word }
    const shown = this.#followsSecretWord()
      ? MASK
      : this.#forms.map((one) => one.shown?.(position)).find((one) => one !== undefined)
    this.#words.push(word)
    this.#all.push(word)
    if (shown === undefined) this.#know(baseName(word))
    return shown === word ? undefined : shown
  }

  /** Whether the next word is a secret: after `-p` and `-u`, after `-a` of redis-cli, after `-sSu` of curl. */
  hidesNext(word: string): boolean {
    if (this.#forms.some(({ options }) => options?.test(word))) return true
    const letter = word.at(-1)!
    if (/^-[A-Za-z]$/.test(word)) return this.#isSecret(letter)
    return /^-[A-Za-z]{2,6}$/.test(word) && this.#letters.includes('E') && this.#letters.includes(letter)
  }

  /** Whether this option has no value, whatever its name says. */
  isFlag(word: string): boolean {
    return this.#forms.some(({ flags }) => flags?.test(word))
  }

  /** How many characters of this word come before a secret: `-pVALUE`, `-uUSER:VALUE`, `/p:VALUE`. Undefined: it has none. */
  secretAt(word: string): number | undefined {
    for (const { prefix } of this.#forms) {
      const found = prefix?.exec(word)?.[0]
      if (found !== undefined && found.length < word.length) return found.length
    }
    const [, letter = '', rest = ''] = /^-([A-Za-z])([^-][\s\S]*|-[\s\S]+)$/.exec(word) ?? []
    if (rest === '' || !this.#isSecret(letter)) return undefined
    const isOwn = this.#letters.includes(letter)
    const hides =
      letter === 'p'
        ? isOwn || !WORDS_WITH_P.test(word.slice(1))
        : /[:%]/.test(rest) || (isOwn && ATTACHED.includes(letter))
    return hides ? 2 : undefined
  }

  /** Whether a program of its own follows: `sh -c mkdir -p /tmp`. */
  beginsScript(word: string): boolean {
    return SHELLS.test(this.#name) && /^-[a-z]*c$/.test(word)
  }

  #followsSecretWord(): boolean {
    const last = this.#words.at(-1)
    if (last === undefined) return false
    if (this.#forms.some(({ after }) => after?.test(last))) return true
    return (
      !last.includes('=') &&
      !COMMAND.test(last) &&
      this.#words.slice(0, -1).some((one) => SETS.test(one)) &&
      isSecretName(last)
    )
  }

  #isSecret(letter: string): boolean {
    if (this.#letters.includes(letter)) return true
    if (letter !== 'p' && letter !== 'u') return false
    return (
      !isHarmless(letter, this.#name, this.#all) && !(this.#all.length === 0 && INTERPRETERS.test(this.#name))
    )
  }

  #know(name: string): void {
    if (!KNOWN.test(name)) return
    const forms = PROGRAM_FORMS.filter(({ programs }) => programs.test(name))
    if (forms.length === 0) return
    this.#forms.push(...forms)
    this.#letters += forms.map(({ letters = '' }) => letters).join('')
    this.#words = []
    this.#options = []
  }
}

function baseName(path: string): string {
  return path
    .replace(/^["']|["']$/g, '')
    .split('/')
    .at(-1)!
}
